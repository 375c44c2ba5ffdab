// A reminder is one user message at the end of the next request, once.

import { z } from 'zod';
import { call, drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defTool, defEffect, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    const city = def('CITY', 'Oslo');
    defEffect((ctx) => { if (ctx.stepNumber === 1) city.remind(); });
    $`go`;
  }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print(steps.map((s) => s.input.prompt.map(textOf).filter((t) => t.startsWith('[Reminder:')).length));
  const last = steps[1].input.prompt.at(-1);
  print([last.role, textOf(last).startsWith('[Reminder:'), textOf(last).includes('CITY'), textOf(last).endsWith(']')]);
};
