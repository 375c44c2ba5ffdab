// A value from onSuccess replaces the result; undefined keeps it.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('a', 'A', z.object({}), () => ({ n: 1 }), { onSuccess: async (input, output) => ({ n: output.n + 1 }) });
    defTool('b', 'B', z.object({}), () => ({ n: 1 }), { onSuccess: () => undefined });
    defTool('c', 'C', z.object({}), () => ({ n: 1 }), { onSuccess: () => null });
    $`go`;
  }, [call('a'), call('b', {}, 'c2'), call('c', {}, 'c3'), say('ok')]);
  print(steps.slice(1).map((s) => valuesOf(s)[0]));
};
