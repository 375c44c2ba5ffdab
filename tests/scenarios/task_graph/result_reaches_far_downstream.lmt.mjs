// A result reaches tasks further down too, not only the next ones.

import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let last;
  await drive(async ({ defTaskGraph, $ }) => {
    const [graph] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: ['b'], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: ['a'], unblocks: ['c'], required_capabilities: [] }, { id: 'c', title: 'T-c', description: 'do c', status: 'pending', dependencies: ['b'], unblocks: [], required_capabilities: [] }]);
    last = graph;
    $`go`;
  }, [call('updateTaskStatus', { taskId: 'a', status: 'completed', output_result: 'the key' }), call('updateTaskStatus', { taskId: 'b', status: 'completed', output_result: 'the door' }, 'c2'), say('ok')]);
  const c = last.find((t) => t.id === 'c').input_context;
  print([c.includes('the key'), c.includes('the door')]);
};
