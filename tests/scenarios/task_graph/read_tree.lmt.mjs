// readTree shows all tasks as a tree with sub-tasks below their parent.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]); $`go`; },
    [call('forkTask', { taskId: 'a', subtasks: [{ id: 'a1', title: 'A1' }] }), call('readTree', {}, 'c2'), call('readTree', { taskId: 'a' }, 'c3'), call('readTree', { taskId: 'ghost' }, 'c4'), say('ok')]);
  const all = valuesOf(steps[2])[0]; const part = valuesOf(steps[3])[0];
  print([all.success, all.tree.map((t) => [t.id, t.children.map((c) => c.id)]), part.tree.map((t) => t.id), valuesOf(steps[4])[0].success]);
};
