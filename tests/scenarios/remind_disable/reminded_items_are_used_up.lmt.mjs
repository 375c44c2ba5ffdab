// getRemindedItems lists what is due, and nothing after it was sent.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ def, defTool, defEffect, getRemindedItems, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    const city = def('CITY', 'Oslo');
    defEffect((ctx) => { if (ctx.stepNumber === 0) { city.remind(); city.remind(); } seen.push(getRemindedItems()); });
    $`go`;
  }, [call('ping'), say('ok')]);
  print(seen);
};
