// Disabled in an effect, variables, data, sections, tools and agents are hidden on that step only.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defData, defSystem, defTool, defAgent, defEffect, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    const refs = [def('A', '1'), defData('B', [2]), defSystem('c', 'C'), defTool('d', 'D', z.object({}), () => 1),
      defAgent('e', 'E', z.object({}), (args, child) => { child.$`x`; })];
    defEffect((ctx) => { if (ctx.stepNumber === 1) refs.forEach((r) => r.disable()); });
    $`go`;
  }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print(steps.map((s) => [systemOf(s), s.activeTools]));
};
