// A finished task's output_result is input_context of every downstream task; a join gets all of them.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const { steps } = await drive(async ({ defTaskGraph, $ }) => {
    const [graph] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: ['c'], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: [], unblocks: ['c'], required_capabilities: [] }, { id: 'c', title: 'T-c', description: 'do c', status: 'pending', dependencies: ['a', 'b'], unblocks: [], required_capabilities: [] }]);
    seen.push(graph.find((t) => t.id === 'c').input_context ?? null);
    $`go`;
  }, [call('updateTaskStatus', { taskId: 'a', status: 'completed', output_result: 'alpha found' }), call('updateTaskStatus', { taskId: 'b', status: 'completed', output_result: 'beta found' }, 'c2'), call('getUnblockedTasks', {}, 'c3'), say('ok')]);
  print([seen[0], seen[1].includes('alpha found'), seen[2].includes('alpha found') && seen[2].includes('beta found')]);
  const [task] = valuesOf(steps[3])[0].tasks;
  print([task.id, task.input_context.includes('alpha found'), task.input_context.includes('beta found')]);
};
