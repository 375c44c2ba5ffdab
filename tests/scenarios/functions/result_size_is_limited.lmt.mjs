// config.sandbox.resultBytes limits the result and the argument of each call, as JSON; what fits is let through.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const config = { sandbox: { resultBytes: 100 } };
  const define = ({ defFunction }) => {
    defFunction('length', 'Length', z.object({ text: z.string() }), ({ text }) => text.length, { responseSchema: z.number() });
  };
  print(await runCode(define, 'return "x".repeat(98);', config));
  const { success, error } = await runCode(define, 'return "x".repeat(99);', config);
  print([success, error.includes('100 bytes')]);
  const { result } = await runCode(define, [
    'const size = (n: number) => length({ text: "x".repeat(n) }).catch((error: Error) => error.message.includes("100 bytes"));',
    'return [await size(50), await size(200)];',
  ], config);
  print(result);
};
