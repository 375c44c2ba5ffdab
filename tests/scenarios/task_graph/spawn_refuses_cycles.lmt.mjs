// spawnTask refuses a task that would close a circle.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let last;
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { const [g] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: ['b'], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }]); last = g; $`go`; },
    [call('spawnTask', { id: 'c', title: 'C', dependencies: ['b'], unblocks: ['a'] }), say('ok')]);
  print([valuesOf(steps[1])[0].success, last.length]);
};
