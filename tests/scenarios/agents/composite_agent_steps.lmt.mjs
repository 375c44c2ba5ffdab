// A composite agent's result carries the children's steps as agentSteps.

import { agent } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('team', 'Team', [
      agent('a', 'A', z.object({}), (x, c) => { c.$`to a`; }, { model: createMockModel([say('from a')]) }),
      agent('b', 'B', z.object({}), (x, c) => { c.$`to b`; }, { model: createMockModel([say('from b')]) }),
    ]);
    $`go`;
  }, [call('team', { calls: [{ name: 'a', args: {} }, { name: 'b', args: {} }] }), say('ok')]);
  const part = steps[1].input.prompt.at(-1).content[0];
  print([part.output.type, part.agentSteps.map((s) => usersOf(s)[0])]);
};
