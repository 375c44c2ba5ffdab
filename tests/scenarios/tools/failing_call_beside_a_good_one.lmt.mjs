// One failing call of a step does not touch the others.

import { z } from 'zod';
import { callTurn, drive, outputsOf, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('good', 'G', z.object({}), () => 'fine'); defTool('bad', 'B', z.object({}), async () => { throw new Error('no'); });
    $`go`;
  }, scripted(callTurn(['bad', {}, 'a'], ['ghost', {}, 'b'], ['good', {}, 'c']), textTurn('ok')));
  print(outputsOf(steps[1]).map((o) => o.type));
};
