// onError gets the arguments and the message; its answer is the value in code, undefined leaves the error to be thrown there.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  const { result } = await runCode(({ defFunction }) => {
    defFunction('open', 'Opens', z.object({ door: z.number() }), ({ door }) => { throw new Error(`door ${door} is stuck`); }, {
      onError: (input, { error }) => { seen.push([input, error]); return input.door === 1 ? { fallback: true } : undefined; },
    });
  }, [
    'const first = await open({ door: 1 });',
    'try { await open({ door: 2 }); } catch (error) { return [first, error instanceof Error, (error as Error).message]; }',
  ]);
  print(result);
  print(seen);
};
