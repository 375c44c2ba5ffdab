// Every call of an agent gets a fresh child.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const model = createMockModel([say('one'), { type: 'finish' }, say('two')]);
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { const [n, set] = c.defState('n', 0); set(n + 1); seen.push(n); c.$`x`; }, { model });
    $`go`;
  }, [call('kid'), call('kid', {}, 'c2'), say('ok')]);
  print([seen, valuesOf(steps[1]), valuesOf(steps[2])]);
};
