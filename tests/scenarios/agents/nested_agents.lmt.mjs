// A child may have agents of its own; their steps hang on their results.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('outer', 'O', z.object({}), (a, child) => {
      child.defAgent('inner', 'I', z.object({}), (b, grandchild) => { grandchild.$`deep`; }, { model: createMockModel([say('deep answer')]) });
      child.$`middle`;
    }, { model: createMockModel([call('inner', {}, 'i1'), say('outer answer')]) });
    $`go`;
  }, [call('outer'), say('ok')]);
  const part = steps[1].input.prompt.at(-1).content[0];
  const inner = part.agentSteps[1].input.prompt.at(-1).content[0];
  print([part.output.value, inner.output.value, usersOf(inner.agentSteps[0])]);
};
