// A failed task can be started again; the reason is kept while it is failed.

import { call, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const { steps } = await drive(async ({ defTaskList, $ }) => { const [tasks] = defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]); seen.push(tasks[0].status); $`go`; },
    [call('startTask', { taskId: '1' }), call('failTask', { taskId: '1', reason: 'stones' }, 'c2'), call('startTask', { taskId: '1' }, 'c3'), call('completeTask', { taskId: '1' }, 'c4'), say('ok')]);
  print(seen);
  print(steps.slice(1).map((s) => valuesOf(s)[0].success));
  print([valuesOf(steps[2])[0].reason, systemOf(steps[2]).includes('Failed (1)'), systemOf(steps[3]).includes('Failed')]);
};
