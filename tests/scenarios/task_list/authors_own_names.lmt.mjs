// A tool of the author's named startTask and a state named taskList make no task list; defTaskList brings its own.

import { z } from 'zod';
import { call, drive, print, say, systemOf, valuesOf } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const own = await drive(async ({ defTool, defState, $ }) => {
    defTool('startTask', 'mine', z.object({}), () => 'mine');
    defState('taskList', 'my own thing');
    $`go`;
  }, [call('startTask'), say('ok')]);
  print([valuesOf(own.steps[1]), systemOf(own.steps[0])]);
  const both = await drive(async ({ defTool, defTaskList, $ }) => {
    defTool('startTask', 'mine', z.object({}), () => 'mine');
    defTaskList([{ id: 'a', name: 'First' }]);
    $`go`;
  }, [call('startTask', { taskId: 'a' }), say('ok')]);
  print([valuesOf(both.steps[1])[0].success, systemOf(both.steps[0]).includes('First')]);
};
