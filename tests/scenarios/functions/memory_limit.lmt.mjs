// Code that fills config.sandbox.memoryBytes gets an error; the run continues with the next code.

import { z } from 'zod';
import { code, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunction, $ }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
    $`go`;
  }, [
    code('const all: number[][] = [];\nfor (;;) all.push(new Array<number>(1000).fill(0));'),
    code('const deep = (n: number): number => 1 + deep(n + 1);\nreturn deep(0);', 'c2'),
    code('return await add({ a: 1, b: 2 });', 'c3'),
    say('ok'),
  ], { sandbox: { memoryBytes: 8 * 1024 * 1024 } });
  const [full, deep, good] = steps.slice(1).map((step) => valuesOf(step)[0]);
  print([full.success, full.error.includes('8 MB'), deep.success, deep.error.includes('stack'), good.result]);
};
