// The limit of an inner run that the outer one passes on ends with code 4; one that is wrapped in an error of the author's own does not.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const endless = () => createMockModel(Array.from({ length: 5 }, () => ({ type: 'tool-call', toolName: 't', args: {} })));

export default async ({ $ }) => {
  $`scenario`;
  const inner = async ({ defTool, $ }) => { defTool('t', 'T', z.object({}), () => 1); $`go`; };
  const outer = async ({ defEffect, $ }) => {
    defEffect(async () => {
      const { result } = await runPrompt(inner, { model: endless(), options: { maxSteps: 2 } });
      await result.text;
    });
    $`go`;
  };
  const { result } = await runPrompt(outer, { model: createMockModel([{ type: 'text', text: 'never' }]) });
  await result.text;
};
