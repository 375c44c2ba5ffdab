// Several calls of a step are listed in order, with one tool message for their results.

import { z } from 'zod';
import { callTurn, drive, print, scripted, textTurn, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => { defTool('d', 'D', z.object({ n: z.number() }), ({ n }) => n * 2); $`go`; },
    scripted(callTurn(['d', { n: 1 }, 'a'], ['d', { n: 2 }, 'b'], ['d', { n: 3 }, 'c']), textTurn('ok')));
  print([steps[0].output.content.map((p) => [p.type, p.input.n]), steps[1].input.prompt.filter((m) => m.role === 'tool').length, valuesOf(steps[1])]);
};
