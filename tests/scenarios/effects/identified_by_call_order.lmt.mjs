// Effects are distinguished by their position among the calls.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defEffect, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    for (const name of ['x', 'y']) defEffect((ctx) => { log.push(name + ctx.stepNumber); }, name === 'x' ? [] : undefined);
    $`go`;
  }, [call('ping'), say('ok')]);
  print(log);
};
