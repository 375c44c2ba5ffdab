// A schema with async refinements is awaited.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({ n: z.number().refine(async (n) => n > 3, 'must be big') }), ({ n }) => n);
    $`go`;
  }, [call('t', { n: 5 }), call('t', { n: 1 }, 'c2'), say('ok')]);
  print([valuesOf(steps[1])[0], valuesOf(steps[2])[0].error.includes('must be big')]);
};
