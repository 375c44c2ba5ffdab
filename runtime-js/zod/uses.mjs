// Typical uses of zod: declarations first needed by the same use are grouped. Wrong guesses only cost time.
export const USES = {
  // For nearly every file with an input: define a schema, parse a value.
  basics(z) {
    const schema = z.object({ text: z.string().describe('what'), kind: z.enum(['a', 'b']).default('a'), maybe: z.boolean().optional() });
    schema.parse({ text: 'x' });
    schema.safeParse({ text: 'x', kind: 'b', maybe: true });
    schema.safeParseAsync({ text: 'x' });
    schema['~standard'].validate({ text: 'x' });
  },
  // For models that read requests; mocks and rows of a map do without.
  'json-schema'(z) {
    describe(z, z.object({ text: z.string().describe('what'), kind: z.enum(['a', 'b']).default('a'), maybe: z.boolean().optional() }));
  },
  numbers(z) {
    const schema = z.object({ count: z.number().int().min(1).max(9), ratio: z.number().positive(), whole: z.int() });
    schema.parse({ count: 1, ratio: 1, whole: 1 });
    describe(z, schema);
  },
  lists(z) {
    const schema = z.object({ names: z.array(z.string().min(1).max(9).trim()).min(1).max(3), one: z.literal('a'), none: z.null().nullable() });
    schema.parse({ names: ['x'], one: 'a', none: null });
    describe(z, schema);
  },
  errors(z) {
    const schema = z.object({ text: z.string().min(3), count: z.number().max(2), kind: z.enum(['a']), list: z.array(z.string()).max(1) });
    const { error } = schema.safeParse({ text: '', count: 3, kind: 'b', list: [1, 2] });
    z.prettifyError(error);
    try {
      schema.strict().parse({ more: 1 });
    } catch (thrown) {
      String(thrown);
    }
  },
  choices(z) {
    const schema = z.object({
      any: z.any(),
      unknown: z.unknown(),
      either: z.union([z.string(), z.number()]),
      by: z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
      record: z.record(z.string(), z.number()),
      rule: z.string().refine((value) => value !== ''),
      other: z.string().transform((value) => value.length),
    });
    schema.parse({ any: 1, unknown: 1, either: 1, by: { type: 'a' }, record: { a: 1 }, rule: 'x', other: 'x' });
    z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  },
  texts(z) {
    const schema = z.object({ mail: z.email(), link: z.url(), day: z.iso.date(), at: z.iso.datetime(), id: z.uuid(), like: z.string().regex(/x/) });
    schema.safeParse({ mail: 'a@b.de', link: 'http://a.de', day: '2026-01-01', at: '2026-01-01T00:00:00Z', id: '', like: 'x' });
    describe(z, schema);
    z.coerce.number().parse('1');
    z.date().parse(new Date());
  },
};

function describe(z, schema) {
  for (const io of ['input', 'output']) {
    const options = { io, target: 'draft-7', unrepresentable: 'throw', override: () => {} };
    z.toJSONSchema(schema, options);
  }
}
