// getState shows a set value at once, the variable of defState only on the next run.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defState, getState, defTool, $ }) => {
    const [n, setN] = defState('n', 1);
    defTool('bump', 'Bumps', z.object({}), () => {
      setN(n + 1);
      seen.push([n, getState('n')]);
      return 'ok';
    });
    $`go`;
  }, [call('bump'), call('bump', {}, 'c2'), say('ok')]);
  print(seen);
};
