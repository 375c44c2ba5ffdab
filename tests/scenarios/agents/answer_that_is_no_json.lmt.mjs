// An answer that is no JSON is passed on with a validationError.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { c.$`x`; }, { model: createMockModel([say('I would say seven')]), responseSchema: z.object({ n: z.number() }) });
    $`go`;
  }, [call('kid'), say('ok')]);
  const [output] = outputsOf(steps[1]);
  print([output.type, output.value.response, typeof output.value.validationError, Object.keys(output.value).sort()]);
};
