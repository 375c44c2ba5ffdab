// Arguments that are not JSON give an error result.

import { z } from 'zod';
import { drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let ran = false;
  const { steps, text } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({}), () => { ran = true; return 1; });
    $`go`;
  }, [{ type: 'tool-call', toolCallId: 'c1', toolName: 't', args: '{"a": ' }, say('sorry')]);
  print([ran, text, outputsOf(steps[1])[0].type, typeof valuesOf(steps[1])[0].error]);
};
