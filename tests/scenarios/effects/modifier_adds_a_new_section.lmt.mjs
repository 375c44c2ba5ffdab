// A section that is not defined is added for this step.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defSystem, defTool, defEffect, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defSystem('a', 'A');
    defEffect((ctx, step) => { if (ctx.stepNumber === 0) step('systems', [...ctx.systems, { name: 'extra', value: 'E' }]); });
    $`go`;
  }, [call('ping'), say('ok')]);
  print(steps.map(systemOf));
};
