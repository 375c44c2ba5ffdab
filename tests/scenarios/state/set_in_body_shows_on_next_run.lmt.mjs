// A value set in the body is seen by getState at once and by defState on the next run.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defState, getState, defTool, $ }) => {
    const [n, setN] = defState('n', 0);
    if (n < 3) setN(n + 1);
    seen.push([n, getState('n')]);
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    $`go`;
  }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print(seen);
};
