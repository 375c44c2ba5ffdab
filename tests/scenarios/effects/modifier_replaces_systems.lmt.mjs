// Sections given to the modifier replace the sections of that step only.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defSystem, defTool, defEffect, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defSystem('a', 'A'); defSystem('b', 'B');
    defEffect((ctx, step) => { if (ctx.stepNumber === 1) step('systems', ctx.systems.filter((s) => s.name === 'b')); });
    $`go`;
  }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print(steps.map(systemOf));
};
