// Arguments are validated, with defaults, before the callback runs.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const got = [];
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({ n: z.number().default(4) }), (args, c) => { got.push(args); c.$`x`; }, { model: createMockModel([say('y')]) });
    $`go`;
  }, [call('kid', {}), call('kid', { n: 'x' }, 'c2'), say('ok')]);
  print([got, valuesOf(steps[1]), outputsOf(steps[2])[0].type]);
};
