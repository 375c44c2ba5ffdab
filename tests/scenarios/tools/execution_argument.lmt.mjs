// execute gets toolCallId, messages and abortSignal as its second argument.

import { z } from 'zod';
import { call, drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let got;
  await drive(async ({ defTool, defSystem, $ }) => {
    defSystem('s', 'S');
    defTool('t', 'T', z.object({}), (args, { toolCallId, messages }) => { got = [toolCallId, messages.map((m) => m.role), textOf(messages[0])]; return 1; });
    $`question`;
  }, [call('t', {}, 'call_77'), say('ok')]);
  print(got);
};
