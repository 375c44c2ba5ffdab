// The state taskGraph holds the tasks with both directions of every edge.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defTaskGraph, getState, $ }) => {
    const [graph, setGraph] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: ['b'], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }, { id: 'c', title: 'T-c', description: 'do c', status: 'pending', dependencies: ['b'], unblocks: [], required_capabilities: [] }]);
    print(graph.map((t) => [t.id, t.dependencies, t.unblocks]));
    print([typeof setGraph, graph === getState('taskGraph')]);
    $`go`;
  }, [say('ok')]);
};
