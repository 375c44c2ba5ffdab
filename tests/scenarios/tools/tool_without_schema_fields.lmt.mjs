// Missing arguments count as an empty object.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let got;
  await drive(async ({ defTool, $ }) => { defTool('t', 'T', z.object({}), (args) => { got = args; return 1; }); $`go`; },
    [{ type: 'tool-call', toolCallId: 'c1', toolName: 't' }, say('ok')]);
  print(got);
};
