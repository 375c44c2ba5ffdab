// The clean-up of an async effect counts, and may itself be async.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defEffect, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defEffect(async () => { log.push('run'); return async () => { await null; log.push('clean'); }; });
    $`go`;
  }, [call('ping'), say('ok')]);
  print(log);
};
