// Each case makes a schema twice; `takesOver(before, now)` is whether the first one replaces the second.
import { z } from 'zod';

const shared = (v) => v > 1;
const same = {
  number: () => z.number(),
  object: () => z.object({ a: z.string().min(1).max(3).optional(), b: z.array(z.int()).nullable() }),
  described: () => z.object({ a: z.string().describe('text').meta({ examples: ['x'] }) }).describe('whole'),
  choices: () => z.union([z.enum(['a', 'b']), z.literal([1, null]), z.discriminatedUnion('t', [z.object({ t: z.literal('x') })])]),
  default: () => z.object({ a: z.number().default(3), b: z.array(z.string()).default([]), c: z.string().prefault('x') }),
  formats: () => z.object({ a: z.email(), b: z.url(), c: z.iso.date(), d: z.string().regex(/^x$/i) }),
  containers: () => z.record(z.string(), z.tuple([z.number(), z.boolean()]).rest(z.unknown())),
  strict: () => z.strictObject({ a: z.coerce.number() }).partial(),
  'shared function': () => z.number().refine(shared),
};
let count = 0;
const different = {
  refine: () => z.number().refine((v) => v > 1),
  transform: () => z.number().transform((v) => v),
  trim: () => z.string().trim(),
  lazy: () => z.lazy(() => z.number()),
  getter: () => z.object({ get a() { throw new Error('a getter of the script was run'); } }),
  'default of a function': () => z.number().default(() => 1),
  'error message': () => z.string({ error: 'no' }),
  literal: () => z.object({ a: z.literal(count++) }),
  bound: () => z.string().min(count++),
  'length of a list': () => z.array(z.string()).default(Array.from({ length: count++ })),
  description: () => z.object({ a: z.string().describe(`${count++}`) }),
  'metadata of a parent': () => z.string().meta({ examples: [count++] }).describe('x'),
  'order of properties': () => z.object(count++ % 2 ? { a: z.string(), b: z.string() } : { b: z.string(), a: z.string() }),
  'number of properties': () => z.object(count++ % 2 ? { a: z.string() } : { a: z.string(), b: z.string() }),
  kind: () => (count++ % 2 ? z.string() : z.email()),
  optional: () => (count++ % 2 ? z.string() : z.string().optional()),
  pattern: () => z.string().regex(new RegExp(`x{${count++}}`)),
  flags: () => z.string().regex(new RegExp('x', count++ % 2 ? 'i' : '')),
  'global pattern': () => z.string().regex(/x/g),
  date: () => z.date().default(new Date(0)),
  'own validation': () => Object.assign(z.number(), { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } }),
};

const cases = [...Object.entries(same).map((entry) => [true, ...entry]), ...Object.entries(different).map((entry) => [false, ...entry])];
for (const [expected, name, make] of cases) {
  if (takesOver(make(), make()) !== expected) throw new Error(`${name}: expected ${expected}`);
  // Also when it was used, which defines properties.
  const used = make();
  if (name !== 'getter') {
    used.safeParse(undefined);
    used['~standard'].validate(undefined);
  }
  if (takesOver(used, make()) !== expected) throw new Error(`${name}, used: expected ${expected}`);
}
