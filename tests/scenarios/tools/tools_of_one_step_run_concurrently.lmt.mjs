// Calls of one step run at the same time; results are in call order.

import { z } from 'zod';
import { callTurn, drive, print, scripted, textTurn, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('wait', 'W', z.object({ ms: z.number() }), async ({ ms }) => { log.push(`start ${ms}`); await new Promise((r) => setTimeout(r, ms)); log.push(`end ${ms}`); return ms; });
    $`go`;
  }, scripted(callTurn(['wait', { ms: 40 }, 'a'], ['wait', { ms: 1 }, 'b']), textTurn('ok')));
  print(log);
  print([steps[0].output.content.map((p) => p.toolCallId), steps[1].input.prompt.at(-1).content.map((p) => p.toolCallId), valuesOf(steps[1])]);
};
