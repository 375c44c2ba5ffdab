// A result that does not match responseSchema is an error in the code; what onSuccess made of it is what counts.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const responseSchema = z.object({ cents: z.number() });
  const { result } = await runCode(({ defFunction }) => {
    defFunction('price', 'P', z.object({}), () => ({ cents: 'many' }), { responseSchema });
    defFunction('mended', 'M', z.object({}), () => ({ cents: 'many' }), { responseSchema, onSuccess: () => ({ cents: 5 }) });
    defFunction('spoilt', 'S', z.object({}), () => ({ cents: 5 }), { responseSchema, onSuccess: () => 'five' });
  }, [
    'const message = (call: Promise<{ cents: number }>) => call.then((price) => price.cents, (error: Error) => error.message);',
    'return [await message(price({})), await message(mended({})), await message(spoilt({}))];',
  ]);
  print([result[0].includes('price') && result[0].includes('responseSchema'), result[1], result[2].includes('spoilt')]);
};
