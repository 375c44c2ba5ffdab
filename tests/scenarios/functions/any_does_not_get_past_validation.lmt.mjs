// Arguments that the type check cannot see through are validated by the schema all the same.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defFunction }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
  };
  const tries = ['{ a: "1", b: 2 }', 'null', '[1, 2]', '"text"'].map((argument) => `await add(${argument} as any).catch((e: Error) => e.message)`);
  const { success, result } = await runCode(define, `return [${tries.join(', ')}];`);
  print([success, result.map((message) => typeof message === 'string' && message.includes('add'))]);
  const calls = ['loose(null)', 'loose()'].map((call) => `await ${call}.catch((e: Error) => e.message)`);
  const loose = await runCode(define, `const loose: any = add;\nreturn [${calls.join(', ')}];`);
  print(loose.result.map((message) => message.includes('expected object')));
  const { error } = await runCode(define, '// @ts-ignore\nreturn await add({ a: 1 });');
  print(error.includes('add'));
};
