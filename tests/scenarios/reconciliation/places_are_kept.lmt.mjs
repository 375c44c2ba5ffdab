// Kept definitions keep their position; new ones follow them.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defState, defSystem, defTool, $ }) => {
    const [n, setN] = defState('n', 0);
    defTool('next', 'N', z.object({}), () => { setN(n + 1); return 1; });
    if (n === 1) defSystem('new', 'N');
    defSystem('a', 'A'); defSystem('b', 'B');
    $`go`;
  }, [call('next'), say('ok')]);
  print(steps.map(systemOf));
};
