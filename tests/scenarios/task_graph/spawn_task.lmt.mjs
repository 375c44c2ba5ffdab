// spawnTask adds a task, with its edges.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let last;
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { const [g] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }, { id: 'z', title: 'T-z', description: 'do z', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]); last = g; $`go`; },
    [call('spawnTask', { id: 'm', title: 'Middle', description: 'between', dependencies: ['a'], unblocks: ['z'] }), call('spawnTask', { title: 'Nameless' }, 'c2'), call('spawnTask', { id: 'a', title: 'Again' }, 'c3'), call('spawnTask', { id: 'q', title: 'Lost', dependencies: ['ghost'] }, 'c4'), say('ok')]);
  print(steps.slice(1).map((s) => valuesOf(s)[0].success));
  const by = (id) => last.find((t) => t.id === id);
  print([by('m').dependencies, by('m').unblocks, by('a').unblocks, by('z').dependencies, last.length, by('m').status]);
};
