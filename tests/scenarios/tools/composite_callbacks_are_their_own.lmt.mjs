// Each sub-tool has its own callbacks and defaults.

import { tool } from 'lmthing';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('ops', 'Operations', [
      tool('a', 'A', z.object({ n: z.number().default(1) }), ({ n }) => n, { onSuccess: (i, o) => o + 100 }),
      tool('b', 'B', z.object({}), () => { throw new Error('b broke'); }, { onError: (i, e) => `saved from ${e.error}` }),
      tool('c', 'C', z.object({}), () => 'never', { beforeCall: () => 'cached' }),
    ]);
    $`go`;
  }, [call('ops', { calls: ['a', 'b', 'c'].map((name) => ({ name, args: {} })) }), say('ok')]);
  print(valuesOf(steps[1])[0].results.map((r) => r.result));
};
