// Refinements are no part of the JSON Schema and do not fail an answer; nested rules do.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = createMockModel([say('{"n":1}'), { type: 'finish' }, say('{"n":-5}')]);
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { c.$`x`; }, { model, responseSchema: z.object({ n: z.number().min(0).refine((n) => n > 100) }) });
    $`go`;
  }, [call('kid'), call('kid', {}, 'c2'), say('ok')]);
  print([outputsOf(steps[1])[0].type, outputsOf(steps[2])[0].type, typeof valuesOf(steps[2])[0].validationError]);
};
