// Names that JavaScript objects know from elsewhere are names like any other.

import { z } from 'zod';
import { callTurn, drive, print, scripted, systemOf, textTurn, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let seen;
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '1', 'length'];
  const { steps } = await drive(async ({ def, defSystem, defTool, defState, getState, $ }) => {
    for (const name of names) {
      def(name, 'v-' + name); defSystem(name, 's-' + name); defTool(name, 'd', z.object({}), () => 't-' + name);
      const [, set] = defState(name, 'x'); set('y-' + name);
    }
    seen = names.map((name) => getState(name));
    $`go`;
  }, scripted(callTurn(...names.map((name, i) => [name, {}, `c${i}`])), textTurn('ok')));
  print(seen);
  print([names.every((n) => systemOf(steps[0]).includes(`<${n}>v-${n}</${n}>`) && systemOf(steps[0]).includes(`<${n}>s-${n}</${n}>`)), steps[0].activeTools]);
  print(valuesOf(steps[1]));
};
