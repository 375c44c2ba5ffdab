// Tools, state and messages of a child are its own.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, systemOf, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let kid;
  const { steps } = await drive(async ({ defAgent, defState, defTool, def, $ }) => {
    defState('n', 1); def('PARENT', 'p'); defTool('outer', 'O', z.object({}), () => 1);
    defAgent('kid', 'K', z.object({}), (args, child) => {
      kid = child;
      print([child.getState('n') === undefined]);
      child.defTool('inner', 'I', z.object({}), () => 'i'); child.def('CHILD', 'c'); child.$`child`;
    }, { model: createMockModel([say('y')]) });
    $`parent`;
  }, [call('kid'), say('ok')]);
  print([kid.steps[0].activeTools, systemOf(kid.steps[0]), usersOf(kid.steps[0])]);
  print([steps[1].activeTools, systemOf(steps[1]), usersOf(steps[1])]);
};
