// A type error in the last line keeps the first from running; each error has its line, column, code and source line.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const calls = [];
  const answer = await runCode(({ defFunction }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => { calls.push(a); return a + b; }, { responseSchema: z.number() });
  }, [
    'const sum = await add({ a: 1, b: 2 });',
    'if (sum > 2) {',
    '    await add({ a: "one", b: 2 });  ',
    '}',
    'return sum.toUpperCase();',
  ]);
  print(answer.errors.map(({ line, column, code, codeLine }) => ({ line, column, code, codeLine })));
  print([answer.success, 'result' in answer, 'error' in answer, answer.errors.every(({ message }) => answer.message.includes(message)), calls]);
};
