// A dependency list of another length counts as changed.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defEffect, defState, defTool, $ }) => {
    const [n, setN] = defState('n', 0);
    defTool('p', 'P', z.object({}), () => { setN(n + 1); return 1; });
    defEffect((ctx) => { log.push(ctx.stepNumber); }, n === 0 ? [1] : [1, 2]);
    $`go`;
  }, [call('p'), call('p', {}, 'c2'), say('ok')]);
  print(log);
};
