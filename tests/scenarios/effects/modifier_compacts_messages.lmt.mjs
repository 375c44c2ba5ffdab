// The conversation in the context can be handed back, filtered or mapped.

import { z } from 'zod';
import { call, drive, print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, defEffect, $ }) => {
    defTool('p', 'P', z.object({}), () => 'r');
    defEffect((ctx, step) => { if (ctx.messages.length > 1) step('messages', ctx.messages.filter((m) => m.role === 'user')); });
    $`first`; $`second`;
  }, [call('p'), say('ok')]);
  print(steps.map(talkOf));
};
