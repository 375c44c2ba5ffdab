// A result that breaks the response schema is an error result.

import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({ v: z.any() }), ({ v }) => ({ total: v }), { responseSchema: z.object({ total: z.number() }) });
    $`go`;
  }, [call('t', { v: 5 }), call('t', { v: 'five' }, 'c2'), say('ok')]);
  print([valuesOf(steps[1])[0], outputsOf(steps[2])[0].type, valuesOf(steps[2])[0].error.includes('total')]);
};
