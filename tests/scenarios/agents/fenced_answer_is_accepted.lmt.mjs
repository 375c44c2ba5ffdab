// An answer in a code fence satisfies the schema; no validationError.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const fences = ['```json\n{"n":1}\n```', '```\n{"n":2}\n```', '  {"n":3}\n'];
  const model = createMockModel(fences.flatMap((f) => [say(f), { type: 'finish' }]));
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({ i: z.number() }), ({ i }, c) => { c.$`${i}`; }, { model, responseSchema: z.object({ n: z.number() }) });
    $`go`;
  }, [call('kid', { i: 0 }), call('kid', { i: 1 }, 'c2'), call('kid', { i: 2 }, 'c3'), say('ok')]);
  print(steps.slice(1).map((s) => [outputsOf(s)[0].type, JSON.parse(valuesOf(s)[0]).n]));
};
