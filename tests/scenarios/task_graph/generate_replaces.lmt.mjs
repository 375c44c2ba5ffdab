// generateTaskGraph replaces the graph; missing statuses are pending.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let last;
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { const [g] = defTaskGraph([{ id: 'old', title: 'T-old', description: 'do old', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]); last = g; $`go`; },
    [call('generateTaskGraph', { tasks: [{ id: 'x', title: 'X', description: 'dx', dependencies: [], unblocks: ['y'], required_capabilities: [] }, { id: 'y', title: 'Y', description: 'dy', dependencies: [], unblocks: [], required_capabilities: [] }] }), say('ok')]);
  print([valuesOf(steps[1])[0].success, last.map((t) => [t.id, t.status, t.dependencies])]);
};
