// A child prompt has a task list of its own.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let kid;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (a, c) => { kid = c; c.defTaskList([{ id: '1', name: 'Dig', status: 'pending' }, { id: '2', name: 'Plant', status: 'pending' }, { id: '3', name: 'Water', status: 'pending' }]); c.$`x`; }, { model: createMockModel([call('completeTask', { taskId: '1' }), say('y')]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  print([kid.steps.map((s) => systemOf(s).includes('Completed (1)')), steps.some((s) => systemOf(s).includes('taskList'))]);
};
