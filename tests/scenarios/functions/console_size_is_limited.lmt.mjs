// Console output beyond config.sandbox.consoleBytes is cut, on stderr and for the model; the code runs on.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { success, result, logs } = await runCode(({ defFunction }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
  }, 'for (let i = 0; i < 1000; i++) console.log(`line ${i} of many`);\nreturn "printed";', { sandbox: { consoleBytes: 100 } });
  const all = logs.join('\n');
  print([success, result, all.startsWith('line 0 of many\nline 1'), all.length < 300, all.includes('100 bytes')]);
};
