// A task whose dependencies are open cannot be started or completed; the answer names them.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { const [g] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: ['b'], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }]); seen.push(g.map((t) => t.status)); $`go`; },
    [call('updateTaskStatus', { taskId: 'b', status: 'in_progress' }), call('updateTaskStatus', { taskId: 'b', status: 'completed' }, 'c2'), say('ok')]);
  print([steps.slice(1).map((s) => valuesOf(s)[0].success), JSON.stringify(valuesOf(steps[1])[0]).includes('"a"') || JSON.stringify(valuesOf(steps[1])[0]).includes('a'), seen[2]]);
};
