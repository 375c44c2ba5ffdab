// config.sandbox.cpuMs ends code that runs on, whatever it catches; the answer names the limit and the next code works.

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
    code('for (;;) { try { for (;;) {} } catch { continue; } }'),
    code('const again = async (): Promise<void> => { await null; return again(); };\nawait again();', 'c2'),
    code('return await add({ a: 1, b: 2 });', 'c3'),
    say('ok'),
  ], { sandbox: { cpuMs: 150 } });
  const [endless, waiting, good] = steps.slice(1).map((step) => valuesOf(step)[0]);
  print([endless.success, endless.error.includes('150 ms'), waiting.success, good]);
};
