// updateTaskStatus answers with success, taskId, the task and what it unblocked.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: ['b'], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: [], required_capabilities: [] }]); $`go`; },
    [call('updateTaskStatus', { taskId: 'a', status: 'in_progress' }), call('updateTaskStatus', { taskId: 'a', status: 'completed', output_result: 'r' }, 'c2'), say('ok')]);
  const [one, two] = [valuesOf(steps[1])[0], valuesOf(steps[2])[0]];
  print([one.success, one.taskId, one.task.status, two.success, two.task.status, two.task.output_result, two.newlyUnblocked.map((t) => t.id), typeof two.message]);
};
