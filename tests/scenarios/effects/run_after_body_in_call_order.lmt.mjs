// Effects run after the body and in the order of their calls, before the request.

import { z } from 'zod';
import { callTurn, drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const model = scripted(
    () => { log.push('request'); return callTurn(['ping', {}, 'c1']); },
    () => { log.push('request'); return textTurn('ok'); },
  );
  await drive(async ({ defEffect, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defEffect(() => { log.push('first'); });
    defEffect(() => { log.push('second'); });
    log.push('body');
    $`go`;
  }, model);
  print(log);
};
