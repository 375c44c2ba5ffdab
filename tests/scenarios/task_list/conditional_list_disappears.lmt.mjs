// A task list that is not made again takes its tools and its section along.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTaskList, defState, defTool, $ }) => {
    const [on, setOn] = defState('on', true);
    defTool('off', 'O', z.object({}), () => { setOn(false); return 'ok'; });
    if (on) defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]);
    $`go`;
  }, [call('off'), say('ok')]);
  print(steps.map((s) => [s.activeTools.length, systemOf(s).includes('taskList')]));
};
