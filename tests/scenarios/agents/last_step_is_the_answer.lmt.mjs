// The answer of an agent is the text of its last step.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { c.defTool('p', 'P', z.object({}), () => 1); c.$`x`; }, { model: createMockModel([say('wait '), call('p'), say('final')]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  print(valuesOf(steps[1]));
};
