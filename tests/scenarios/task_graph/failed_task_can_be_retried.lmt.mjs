// A failed task blocks what waits for it and can be set in progress again.

import { call, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { const [g] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: ['b'], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }]); seen.push(g[0].status); $`go`; },
    [call('updateTaskStatus', { taskId: 'a', status: 'failed' }), call('getUnblockedTasks', {}, 'c2'), call('updateTaskStatus', { taskId: 'a', status: 'in_progress' }, 'c3'), call('updateTaskStatus', { taskId: 'a', status: 'completed' }, 'c4'), call('getUnblockedTasks', {}, 'c5'), say('ok')]);
  print([seen, valuesOf(steps[2])[0].tasks.length, valuesOf(steps[5])[0].tasks.map((t) => t.id), systemOf(steps[1]).includes('Failed (1)')]);
};
