// An error of a function is an Error in the code, which may catch it, read its message and continue.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const answer = await runCode(({ defFunction }) => {
    defFunction('open', 'Opens', z.object({ door: z.number() }), ({ door }) => {
      log.push(door);
      if (door < 3) throw new Error(`door ${door} is stuck`);
      return `door ${door}`;
    }, { responseSchema: z.string() });
  }, [
    'const failures: string[] = [];',
    'for (let door = 1; ; door++) {',
    '  try { return { opened: await open({ door }), failures }; } catch (error) { failures.push((error as Error).message); }',
    '}',
  ]);
  print([answer, log]);
};
