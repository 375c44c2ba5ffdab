// What a schema says beyond types counts when the call is made: the code gets an error it can catch, execute does not run.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const ran = [];
  const even = z.number().int().max(10).refine((n) => n % 2 === 0, 'must be even');
  const { result } = await runCode(({ defFunction }) => {
    defFunction('halve', 'Halves', z.object({ n: even }), ({ n }) => { ran.push(n); return n / 2; }, { beforeCall: ({ n }) => { ran.push(`before ${n}`); } });
  }, [
    'const message = (n: number) => halve({ n }).then(String, (error: Error) => error.message);',
    'return [await message(4), await message(12), await message(3), await message(2.5)];',
  ]);
  print([result[0], result[1].includes('halve'), result[2].includes('must be even'), result[3].includes('halve')]);
  print(ran);
};
