// A task with an open question waits; the answer becomes part of its context.

import { call, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let last;
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { const [g] = defTaskGraph([{ id: 'a', title: 'T-a', description: 'do a', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }, { id: 'b', title: 'T-b', description: 'do b', status: 'pending', dependencies: [], unblocks: [], required_capabilities: [] }]); last = g; $`go`; },
    [call('askHuman', { taskId: 'a', question: 'Which colour?' }), call('getUnblockedTasks', {}, 'c2'), call('answerQuestion', { taskId: 'a', answer: 'Green' }, 'c3'), call('getUnblockedTasks', {}, 'c4'), call('answerQuestion', { taskId: 'a', answer: 'Blue' }, 'c5'), say('ok')]);
  const ids = (i) => valuesOf(steps[i])[0].tasks.map((t) => t.id);
  print([valuesOf(steps[1])[0].success, ids(2), valuesOf(steps[3])[0].success, ids(4), valuesOf(steps[5])[0].success]);
  print([systemOf(steps[1]).includes('Which colour?'), last.find((t) => t.id === 'a').input_context.includes('Green')]);
};
