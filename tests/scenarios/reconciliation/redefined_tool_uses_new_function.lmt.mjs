// The function and description of the last definition count.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defState, defTool, $ }) => {
    const [n, setN] = defState('n', 1);
    defTool('which', 'Which', z.object({}), () => { setN(n + 1); return `version ${n}`; });
    $`go`;
  }, [call('which'), call('which', {}, 'c2'), say('ok')]);
  print([valuesOf(steps[1]), valuesOf(steps[2])]);
};
