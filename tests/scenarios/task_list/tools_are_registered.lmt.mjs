// The tools startTask, completeTask and failTask are there on every step.

import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskList, $ }) => { defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]); $`go`; }, [call('startTask', { taskId: '1' }), say('ok')]);
  print(steps.map((s) => s.activeTools));
};
