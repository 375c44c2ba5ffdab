// The instruction carries the JSON Schema of the response schema, descriptions included, next to the system option.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let kid;
  await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { kid = c; c.$`x`; }, {
      model: createMockModel([say('{"verdict":"good","tags":[]}')]), system: 'Be strict.',
      responseSchema: z.object({ verdict: z.enum(['good', 'bad']).describe('final word'), tags: z.array(z.string()), note: z.string().optional() }),
    });
    $`go`;
  }, [call('kid'), say('ok')]);
  const system = systemOf(kid.steps[0]);
  print(['<agentSystem>Be strict.', '<responseFormat>', '"verdict"', 'final word', '"enum"', '"tags"', '"array"', '"required"', 'JSON'].map((s) => system.includes(s)));
};
