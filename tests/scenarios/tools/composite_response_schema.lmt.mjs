// A sub-tool result that breaks its response schema is that sub-tool's error.

import { tool } from 'lmthing';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('ops', 'O', [tool('a', 'A', z.object({}), () => ({ n: 'x' }), { responseSchema: z.object({ n: z.number() }) }), tool('b', 'B', z.object({}), () => 'fine')]);
    $`go`;
  }, [call('ops', { calls: [{ name: 'a', args: {} }, { name: 'b', args: {} }] }), say('ok')]);
  const [a, b] = valuesOf(steps[1])[0].results;
  print([Object.keys(a.result), b.result]);
};
