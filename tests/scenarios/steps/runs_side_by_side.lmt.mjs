// Two runs at the same time do not disturb each other.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const fn = (name) => async ({ def, defState, defTool, $ }) => {
    const [n, setN] = defState('n', 0);
    def('WHO', `${name}${n}`);
    defTool('p', 'P', z.object({}), async () => { await new Promise((r) => setTimeout(r, 3)); setN((v) => v + 1); return name; });
    $`go`;
  };
  const both = await Promise.all(['a', 'b'].map((name) => drive(fn(name), [call('p'), call('p', {}, 'c2'), say(name)])));
  print(both.map(({ text, steps }) => [text, steps.map(systemOf)]));
};
