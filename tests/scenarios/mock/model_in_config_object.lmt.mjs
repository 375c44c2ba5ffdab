// A mock model may be in config.model of an inner run as an object and be shared by agents.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = createMockModel([call('kid'), say('child says'), { type: 'finish' }, say('parent says')]);
  const { text, steps } = await drive(async ({ defAgent, $ }) => { defAgent('kid', 'K', z.object({}), (a, c) => { c.$`x`; }); $`go`; }, model);
  print([text, valuesOf(steps[1])]);
};
