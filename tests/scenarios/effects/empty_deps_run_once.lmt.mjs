// An effect with an empty dependency list runs on the first step only.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defEffect, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defEffect((ctx) => { log.push(ctx.stepNumber); }, []);
    $`go`;
  }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print(log);
};
