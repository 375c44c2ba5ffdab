// Arguments that are not JSON are refused even when the schema accepts anything.

import { z } from 'zod';
import { drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let ran = false;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.any(), () => { ran = true; return 1; });
    $`go`;
  }, [{ type: 'tool-call', toolCallId: 'c1', toolName: 't', args: '{"a": ' }, say('sorry')]);
  print([ran, outputsOf(steps[1])[0].type]);
};
