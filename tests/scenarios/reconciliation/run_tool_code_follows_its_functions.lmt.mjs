// runToolCode stays while any function is defined, and goes with the last.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defFunction, defState, defTool, $ }) => {
    const [n, setN] = defState('n', 0);
    defTool('next', 'N', z.object({}), () => { setN((v) => v + 1); return 'ok'; });
    if (n < 1) defFunction('one', 'One', z.object({}), () => 1);
    if (n < 2) defFunction('two', 'Two', z.object({}), () => 2);
    $`go`;
  }, [call('next'), call('next', {}, 'c2'), say('ok')]);
  print(steps.map((s) => [s.activeTools.includes('runToolCode'), systemOf(s).includes('function one'), systemOf(s).includes('function two')]));
};
