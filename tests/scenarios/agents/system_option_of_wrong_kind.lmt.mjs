// A system option that is not a string is an error result with that message.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => { defAgent('kid', 'K', z.object({}), (args, c) => { c.$`x`; }, { model: createMockModel([say('y')]), system: 5 }); $`go`; }, [call('kid'), say('ok')]);
  print([outputsOf(steps[1])[0].type, valuesOf(steps[1])[0].error.includes('system')]);
};
