// A reminder is not part of the conversation of later steps.

import { z } from 'zod';
import { call, drive, print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const { steps } = await drive(async ({ def, defTool, defEffect, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    const city = def('CITY', 'Oslo');
    defEffect((ctx) => { seen.push(ctx.messages.length); if (ctx.stepNumber === 0) city.remind(); });
    $`go`;
  }, [call('ping'), say('ok')]);
  print([seen, talkOf(steps[1])]);
};
