// ctx.messages is the conversation so far.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defTool, defEffect, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defEffect((ctx) => { seen.push(ctx.messages.map((m) => m.role)); });
    $`hello`;
  }, [call('ping'), say('ok')]);
  print(seen);
};
