// The section available_functions shows declarations with descriptions as doc comments; any means no responseSchema.

import { func } from 'lmthing/plugins';
import { z } from 'zod';
import { code, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunction, $ }) => {
    const price = z.object({ product: z.string().describe('tea or cup'), count: z.number().default(1), note: z.string().optional() });
    defFunction('getPrice', 'Looks up a price', price, () => 4, { responseSchema: z.object({ cents: z.number().nullable() }) });
    defFunction('math', 'Arithmetic', [func('neg', 'Negates', z.object({ a: z.number() }), ({ a }) => -a)]);
    $`go`;
  }, [code('return 1;'), say('ok')]);
  const section = systemOf(steps[0]).match(/<available_functions>(.*)<\/available_functions>/)[1];
  const has = (text) => section.includes(text);
  print([has('Looks up a price'), has('declare function getPrice(args: {'), has('tea or cup'), has('product: string'), has('count?: number')]);
  print([has('note?: string'), has('Promise<{ cents: number | null }>'), has('namespace math {'), has('Negates')]);
  print([has('neg(args: { a: number }): Promise<any>')]);
};
