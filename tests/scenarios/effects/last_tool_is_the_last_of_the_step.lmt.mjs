// With several calls in one step lastTool is the last of them in call order.

import { z } from 'zod';
import { callTurn, drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defTool, defEffect, $ }) => {
    defTool('slow', 'Slow', z.object({}), async () => { await new Promise((r) => setTimeout(r, 10)); return 's'; });
    defTool('fast', 'Fast', z.object({ n: z.number() }), ({ n }) => ({ n }));
    defEffect((ctx) => { seen.push(ctx.lastTool && [ctx.lastTool.toolName, ctx.lastTool.args, ctx.lastTool.output]); });
    $`go`;
  }, scripted(callTurn(['fast', { n: 1 }, 'a'], ['slow', {}, 'b']), textTurn('ok')));
  print(seen);
};
