// A schema that differs from that of the last run replaces it, whatever it differs in.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const kinds = {
  bound: [(n) => z.number().min(n), 1, 1],
  catch: [(n) => z.number().catch(() => n), 'x', 'x'],
  description: [(n) => z.number().describe(`at step ${n}`), 1, 2],
  enum: [(n) => z.enum([`v${n}`]), 'v1', 'v2'],
  lazy: [(n) => z.lazy(() => z.literal(n)), 1, 2],
  literal: [(n) => z.literal(n), 1, 2],
  made: [(n) => z.number().default(() => n), undefined, undefined],
  message: [(n) => z.string({ error: `not at step ${n}` }), 1, 1],
  nested: [(n) => z.array(z.union([z.object({ deep: z.literal(n) }), z.string()])), [{ deep: 1 }], [{ deep: 2 }]],
  optional: [(n) => (n === 1 ? z.number() : z.number().optional()), 1, undefined],
  pattern: [(n) => z.string().regex(new RegExp(`^v${n}$`)), 'v1', 'v2'],
  refine: [(n) => z.number().refine((v) => v === n), 1, 2],
  same: [() => z.string().min(1).max(3).default('abc').describe('the same'), 'x', undefined],
  state: [() => z.string().regex(/x/g), 'x', 'x'],
  transform: [(n) => z.number().transform((v) => v + n), 1, 1],
  value: [(n) => z.number().default(n), undefined, undefined],
};

const drawn = async (make, values) => {
  let runs = 0;
  const { prompt, steps } = await drive(async ({ defTool, $ }) => {
    runs += 1;
    defTool('t', 'T', z.object({ v: make(runs) }), ({ v }) => ({ v }));
    $`go`;
  }, [call('t', { v: values[0] }), call('t', { v: values[1] }, 'c2'), say('ok')]);
  const schemas = prompt.fullSteps.map((step) => step.input.tools[0].inputSchema.properties.v);
  return [valuesOf(steps[1])[0], valuesOf(steps[2])[0], ...schemas.slice(0, 2)];
};

export default async ({ $ }) => {
  $`scenario`;
  for (const [kind, [make, ...values]] of Object.entries(kinds)) print([kind, ...(await drawn(make, values))]);
};
