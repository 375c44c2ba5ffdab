// The utilities return new tasks and leave their arguments alone.

import { normalizeTaskGraph } from 'lmthing/plugins';
import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const tasks = [{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: ['b'], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }, { id: 'c', title: 'T-c', description: 'do c', status: 'pending', dependencies: ['b'], unblocks: [], required_capabilities: [] }];
  const before = JSON.stringify(tasks);
  const once = normalizeTaskGraph(tasks);
  print([once.map((t) => [t.id, t.dependencies, t.unblocks]), JSON.stringify(normalizeTaskGraph(once)) === JSON.stringify(once), JSON.stringify(tasks) === before]);
};
