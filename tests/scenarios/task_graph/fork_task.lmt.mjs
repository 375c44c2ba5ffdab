// forkTask splits a task: its parts are ready, the task waits for them and gets their results.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let last;
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { const [g] = defTaskGraph([{ id: 'big', title: 'T-big', description: 'do big', status: 'pending', dependencies: [], unblocks: ['end'], required_capabilities: [] }, { id: 'end', title: 'T-end', description: 'do end', status: 'pending', dependencies: ['big'], unblocks: [], required_capabilities: [] }]); last = g; $`go`; },
    [call('forkTask', { taskId: 'big', subtasks: [{ id: 'p1', title: 'Part 1' }, { id: 'p2', title: 'Part 2' }] }), call('getUnblockedTasks', {}, 'c2'),
     call('updateTaskStatus', { taskId: 'p1', status: 'completed', output_result: 'r-one' }, 'c3'), call('getUnblockedTasks', {}, 'c4'), call('updateTaskStatus', { taskId: 'p2', status: 'completed', output_result: 'r-two' }, 'c5'), call('getUnblockedTasks', {}, 'c6'), say('ok')]);
  const ids = (i) => valuesOf(steps[i])[0].tasks.map((t) => t.id).sort();
  print([valuesOf(steps[1])[0].success, ids(2), ids(4), ids(6)]);
  const big = last.find((t) => t.id === 'big');
  print([big.input_context.includes('r-one'), big.input_context.includes('r-two'), [...big.dependencies].sort()]);
};
