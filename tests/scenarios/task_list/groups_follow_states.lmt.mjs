// Every task is in the group of its state.

import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskList, $ }) => { defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]); $`go`; },
    [call('startTask', { taskId: '1' }), call('completeTask', { taskId: '1' }, 'c2'), call('startTask', { taskId: '2' }, 'c3'), say('ok')]);
  const system = systemOf(steps[3]);
  print(['In Progress (1) - [2] Plant', 'Pending (1) - [3] Water', 'Completed (1) - [1] Dig'].map((s) => system.includes(s)));
};
