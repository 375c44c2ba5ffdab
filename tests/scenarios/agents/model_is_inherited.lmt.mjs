// Without a model of its own a child uses its parent's.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = createMockModel([call('kid'), say('from the child'), { type: 'finish' }, say('from the parent')]);
  const { steps, text } = await drive(async ({ defAgent, $ }) => { defAgent('kid', 'K', z.object({}), (args, c) => { c.$`x`; }); $`go`; }, model);
  print([text, valuesOf(steps[1])]);
};
