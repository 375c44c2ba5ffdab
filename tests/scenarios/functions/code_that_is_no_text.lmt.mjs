// A call of runToolCode without code, with code of another kind or with broken arguments is an error result; the run continues.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(({ defFunction, $ }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
    $`go`;
  }, [call('runToolCode', {}), call('runToolCode', { code: 5 }, 'c2'), call('runToolCode', 'return 1;', 'c3'), say('went on')]);
  print(steps.slice(1).map((step) => [outputsOf(step)[0].type, typeof outputsOf(step)[0].value.error]));
  print(text);
};
