// Missing, excess and misspelt properties, no argument at all and unknown functions are found before the code runs.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defFunction }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
    defFunction('paint', 'Paints', z.object({ colour: z.enum(['red', 'blue']) }), () => 'done');
  };
  const codes = async (source) => (await runCode(define, source)).errors.map((error) => error.code);
  print(await codes('return await add({ a: 1 });'));
  print(await codes('return await add({ a: 1, b: 2, c: 3 });'));
  print(await codes('return await add();'));
  print(await codes('return await subtract({ a: 1, b: 2 });'));
  print(await codes('return await paint({ colour: "green" });'));
  print(await codes('const text: string = await add({ a: 1, b: 2 });\nreturn text;'));
  print(await codes('return (add({ a: 1, b: 2 })).toFixed(1);'));
};
