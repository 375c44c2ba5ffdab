// Falsy values survive, and are not replaced by the initial value.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defState, defTool, $ }) => {
    const [n, setN] = defState('n', 5);
    const [s, setS] = defState('s', 'x');
    const [b, setB] = defState('b', true);
    const [u, setU] = defState('u', 'set');
    seen.push([n, s, b, u === undefined ? 'undefined' : u]);
    defTool('zero', 'Zeroes', z.object({}), () => { setN(0); setS(''); setB(false); setU(undefined); return 'ok'; });
    $`go`;
  }, [call('zero'), say('ok')]);
  print(seen);
};
