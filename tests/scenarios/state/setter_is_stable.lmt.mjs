// The setter of a key is the same function on every run.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const setters = [];
  await drive(async ({ defState, defTool, $ }) => {
    const [, set] = defState('n', 0);
    setters.push(set);
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    $`go`;
  }, [call('ping'), say('ok')]);
  print([setters.length, setters[0] === setters[1]]);
};
