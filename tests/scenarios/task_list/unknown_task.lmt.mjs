// An unknown id is refused; the answer names it and nothing changes.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const { steps, text } = await drive(async ({ defTaskList, $ }) => { const [tasks] = defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]); seen.push(tasks.map((t) => t.status)); $`go`; },
    [call('startTask', { taskId: '9' }), call('completeTask', { taskId: '9' }, 'c2'), call('failTask', { taskId: '9' }, 'c3'), say('ok')]);
  print([text, steps.slice(1).map((s) => valuesOf(s)[0].success), JSON.stringify(valuesOf(steps[1])[0]).includes('9')]);
  print(seen.every((s) => s.every((status) => status === 'pending')));
};
