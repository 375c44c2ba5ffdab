// A clean-up runs before its effect runs again and at the end of the run.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defEffect, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defEffect((ctx) => { const n = ctx.stepNumber; log.push(`run ${n}`); return () => { log.push(`clean ${n}`); }; });
    $`go`;
  }, [call('ping'), say('ok')]);
  print(log);
};
