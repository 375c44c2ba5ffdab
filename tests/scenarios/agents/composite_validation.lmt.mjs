// Each sub-agent is validated by its own schema.

import { agent } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    const responseSchema = z.object({ n: z.number() });
    defAgent('team', 'Team', [
      agent('a', 'A', z.object({}), (x, c) => { c.$`x`; }, { model: createMockModel([say('{"n":1}')]), responseSchema }),
      agent('b', 'B', z.object({}), (x, c) => { c.$`x`; }, { model: createMockModel([say('{"n":"one"}')]), responseSchema }),
      agent('c', 'C', z.object({}), (x, c) => { c.$`x`; }, { model: createMockModel([say('free text')]) }),
    ]);
    $`go`;
  }, [call('team', { calls: ['a', 'b', 'c'].map((name) => ({ name, args: {} })) }), say('ok')]);
  print(valuesOf(steps[1])[0].results.map((r) => [r.response, typeof r.validationError]));
};
