// defTaskList returns [tasks, setTasks] of the state taskList.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defTaskList, getState, defTool, $ }) => {
    const [tasks, setTasks] = defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]);
    seen.push([tasks.map((t) => t.status), tasks === getState('taskList')]);
    defTool('reset', 'R', z.object({}), () => { setTasks((list) => list.map((t) => ({ ...t, status: 'completed' }))); return 'ok'; });
    $`go`;
  }, [call('reset'), say('ok')]);
  print(seen);
};
