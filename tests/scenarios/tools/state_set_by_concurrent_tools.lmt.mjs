// Updater functions of concurrent tools all count.

import { z } from 'zod';
import { callTurn, drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defState, defTool, $ }) => {
    const [n, setN] = defState('n', 0);
    seen.push(n);
    defTool('inc', 'I', z.object({ ms: z.number() }), async ({ ms }) => { await new Promise((r) => setTimeout(r, ms)); setN((v) => v + 1); return 'ok'; });
    $`go`;
  }, scripted(callTurn(['inc', { ms: 5 }, 'a'], ['inc', { ms: 1 }, 'b'], ['inc', { ms: 3 }, 'c']), textTurn('ok')));
  print(seen);
};
