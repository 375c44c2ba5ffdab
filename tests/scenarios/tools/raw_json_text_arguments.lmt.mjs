// String arguments of a mock item are the raw JSON the model wrote.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let got;
  await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({ a: z.number() }), (args) => { got = args; return 1; });
    $`go`;
  }, [{ type: 'tool-call', toolCallId: 'c1', toolName: 't', args: '{"a": 4}' }, say('ok')]);
  print(got);
};
