// Two updates in one step both count.

import { callTurn, drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defTaskList, $ }) => { const [tasks] = defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]); seen.push(tasks.map((t) => t.status)); $`go`; },
    scripted(callTurn(['startTask', { taskId: '1' }, 'a'], ['completeTask', { taskId: '2' }, 'b']), textTurn('ok')));
  print(seen[1]);
};
