// User messages are added on the first run only, whatever a later run asks.

import { z } from 'zod';
import { call, drive, print, say, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defState, defTool, $ }) => {
    const [n, setN] = defState('n', 0);
    defTool('next', 'Next', z.object({}), () => { setN(n + 1); return 'ok'; });
    $`run ${n}`;
  }, [call('next'), say('ok')]);
  print(steps.map(usersOf));
};
