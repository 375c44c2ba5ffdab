// getUnblockedTasks lists pending tasks whose dependencies are completed.

import { getUnblockedTasks } from 'lmthing/plugins';
import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const tasks = [{ ...{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }, status: 'completed' }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }, { id: 'c', title: 'T-c', description: 'do c', status: 'pending', dependencies: ['b'], unblocks: [], required_capabilities: [] }, { ...{ id: 'd', title: 'T-d', description: 'do d', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }, status: 'in_progress' }, { id: 'e', title: 'T-e', description: 'do e', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }];
  print(getUnblockedTasks(tasks).map((t) => t.id));
  print(getUnblockedTasks([]));
};
