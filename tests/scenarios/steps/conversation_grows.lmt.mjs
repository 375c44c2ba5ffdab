// The next step sees the assistant message with its calls, then the tool message.

import { tool } from 'lmthing';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => { defTool('ping', 'P', z.object({ n: z.number() }), () => 'pong'); $`go`; },
    [say('one moment'), call('ping', { n: 1 }, 'k1'), say('done')]);
  const [user, assistant, tool] = steps[1].input.prompt;
  print([user.role, assistant, tool]);
};
