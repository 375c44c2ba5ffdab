// fullSteps shows the tools as they were on each step, those of agents' children too.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let kept;
  const { prompt } = await drive(async ({ defState, defTool, defAgent, defFunction, $ }) => {
    const [n, setN] = defState('n', 0);
    defTool(`tool${n}`, `Step ${n}`, z.object({}), () => { setN(n + 1); return n; });
    if (n === 1) defFunction('f', 'F', z.object({}), () => 1);
    defAgent('ask', 'Asks', z.object({ q: z.string() }), (_, child) => {
      child.defTool('inner', 'Inner', z.object({}), () => 1);
      child.$`go`;
      kept = child;
    });
    $`go`;
  }, [call('tool0'), call('ask', { q: 'x' }), call('inner'), say('child'), say('ok')]);
  print(prompt.fullSteps.map((step) => step.input.tools.map((tool) => tool.name)));
  print(kept.fullSteps.map((step) => step.input.tools.map((tool) => tool.description)));
  print(prompt.fullSteps[1].input.tools.map((tool) => Object.keys(tool.inputSchema.properties)));
};
