// config.sandbox.check: 'essential' lets type errors pass as warnings but not wrong arguments; 'off' checks syntax only.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const run = (check, source) => runCode(({ defFunction }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
  }, source, { sandbox: { check } });
  const loose = 'const text: string = await add({ a: 1, b: 2 });\nreturn text;';
  const codes = (list) => list?.map(({ line, code }) => [line, code]);
  const [strict, essential, off] = [await run('strict', loose), await run('essential', loose), await run('off', loose)];
  print([strict.success, codes(strict.errors), essential.result, codes(essential.warnings), off]);
  const wrong = 'return await add({ a: "1", b: 2 });';
  print([codes((await run('essential', wrong)).errors), (await run('off', wrong)).error.includes('add')]);
  print([(await run('essential', 'return nothing;')).success, (await run('off', 'return [;')).success]);
};
