// Compares the built-in zod with that of npm, whose folder is the first argument: `node_modules/zod` as a file would import it.
import { z } from './narrow.mjs';
import * as all from './all.mjs';
import * as star from './star.mjs';

const npm = await import(`${process.argv[2]}/index.js`);
const wrong = [];
const same = (what, ours, theirs) => {
  const [one, other] = [JSON.stringify(ours), JSON.stringify(theirs)];
  if (one !== other) wrong.push(`${what}:\n  lmthing ${one}\n  npm     ${other}`);
};
const check = (what, holds) => holds || wrong.push(what);

// One zod, whatever is imported of it.
check('identity of z', z === all.z && z === all.ns.z && z === star.z.z && z === all.named);
check('identity of members', z.string === all.string && star.z.ZodType === z.ZodType && all.ns.core === z.core);
check('looked at once', z.ZodObject === z.ZodObject && z.core === z.core);

// The same members of the same kinds.
const kinds = (namespace) => Object.fromEntries(Object.keys(namespace).sort().map((key) => [key, kind(namespace[key])]));
const kind = (value) => (typeof value === 'function' ? `function ${value.length}` : Array.isArray(value) ? 'array' : typeof value);
same("import * as all from 'zod'", kinds(all.ns), kinds(npm));
same("import * as z from 'zod' alone", kinds(star.z), kinds(npm));
same('z', kinds(z), kinds(npm.z));
for (const name of ['core', 'util', 'regexes', 'iso', 'coerce', 'locales']) same(`z.${name}`, kinds(z[name]), kinds(npm.z[name]));
for (const name of ['util', 'regexes', 'locales']) same(`z.core.${name}`, kinds(z.core[name]), kinds(npm.z.core[name]));
same('regular expressions', sources(z.regexes), sources(npm.z.regexes));
function sources(regexes) {
  return Object.entries(regexes).filter(([, value]) => value instanceof RegExp).map(([key, value]) => [key, String(value)]).sort();
}

// A namespace is an object that cannot be changed.
const { core: fresh } = star.z;
check('in', 'string' in z && !('strung' in z) && z.strung === undefined && 'ZodString' in star.z);
const refused = (change) => {
  try {
    change();
  } catch (error) {
    return error instanceof TypeError;
  }
};
check('assignment', refused(() => (fresh.$ZodType = 1)) && refused(() => (fresh.other = 1)) && fresh.other === undefined);
check('deletion', refused(() => delete fresh.clone) && typeof fresh.clone === 'function');
check('frozen', Object.isFrozen(z) && Object.isFrozen(z.iso) && !Object.isExtensible(z.coerce));
check('own', Object.hasOwn(z, 'string') && Object.getOwnPropertyDescriptor(z, 'string').enumerable);
check('spread', { ...z }.string === z.string && Object.entries(z.iso).length === Object.keys(npm.z.iso).length);

// The same prototypes.
const members = (schema) => {
  const proto = Object.getPrototypeOf(schema);
  return Object.getOwnPropertyNames(proto).map((name) => {
    const { get, set, value, enumerable, configurable, writable } = Object.getOwnPropertyDescriptor(proto, name);
    return [name, typeof get, typeof set, typeof value, enumerable, configurable, writable];
  });
};
const schemas = {
  string: (z) => z.string().min(2).max(5).describe('text'),
  formats: (z) => z.object({ a: z.email(), b: z.url(), c: z.uuid(), d: z.iso.datetime(), e: z.ipv4(), f: z.base64() }).partial(),
  number: (z) => z.number().int().min(1).multipleOf(2),
  int: (z) => z.int32(),
  bigint: (z) => z.bigint().positive(),
  boolean: (z) => z.boolean(),
  date: (z) => z.date(),
  object: (z) => z.object({ a: z.string(), b: z.number().optional(), c: z.enum(['x', 'y']).default('x') }),
  strict: (z) => z.strictObject({ a: z.string() }),
  loose: (z) => z.looseObject({ a: z.string() }),
  extended: (z) => z.object({ a: z.string() }).extend({ b: z.literal(3) }).pick({ b: true }),
  array: (z) => z.array(z.string()).nonempty(),
  tuple: (z) => z.tuple([z.string(), z.number()]).rest(z.boolean()),
  record: (z) => z.record(z.string(), z.number()),
  map: (z) => z.map(z.string(), z.number()),
  set: (z) => z.set(z.string()),
  union: (z) => z.union([z.string(), z.number()]),
  discriminated: (z) => z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b'), n: z.number() })]),
  intersection: (z) => z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
  nullable: (z) => z.string().nullable(),
  nullish: (z) => z.string().nullish(),
  caught: (z) => z.number().catch(7),
  prefault: (z) => z.string().trim().prefault(' x '),
  transform: (z) => z.string().transform((text) => text.length),
  pipe: (z) => z.string().pipe(z.coerce.number()),
  preprocess: (z) => z.preprocess((value) => String(value), z.string()),
  refined: (z) => z.string().refine((text) => text.length > 3, { error: 'too short' }),
  super: (z) => z.number().superRefine((value, context) => value > 3 && context.addIssue({ code: 'custom', message: 'big' })),
  lazy: (z) => z.object({ get next() { return z.lazy(() => z.string()).optional(); } }),
  readonly: (z) => z.object({ a: z.string() }).readonly(),
  template: (z) => z.templateLiteral(['a', z.number()]),
  stringbool: (z) => z.stringbool(),
  codec: (z) => z.codec(z.string(), z.number(), { decode: Number, encode: String }),
  custom: (z) => z.custom((value) => value === 1),
  instance: (z) => z.instanceof(Date),
  json: (z) => z.json(),
  any: (z) => z.any(),
  unknown: (z) => z.unknown(),
  never: (z) => z.never(),
  keyof: (z) => z.keyof(z.object({ a: z.any(), b: z.any() })),
  fromJson: (z) => z.fromJSONSchema({ type: 'object', properties: { a: { type: 'string', minLength: 2 } }, required: ['a'] }),
  german: (z) => (z.config(z.locales.de()), z.string()),
};
const values = [undefined, null, '', 'x', 'abc', 'abcdefg', 'a1', '12', 'true', 0, 1, 2, 2.5, 3n, true, NaN, new Date(0), [], ['x'], ['x', 1, true],
  {}, { a: 'x' }, { a: 'xx', b: 3, c: 'y' }, { a: 1 }, { t: 'b', n: 1 }, { t: 'c' }, { next: 'x' }, new Map([['a', 1]]), new Set(['a']), () => {}];
const shown = (value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each instanceof Map || each instanceof Set ? [...each] : each)) ?? String(value);
const outcome = (act) => {
  try {
    return shown(act());
  } catch (error) {
    return `${error.name ?? error.constructor.name}: ${error.message}`;
  }
};
const english = z.locales.en;
for (const [name, make] of Object.entries(schemas)) {
  const [ours, theirs] = [make(z), make(npm.z)];
  same(`prototype of ${name}`, members(ours), members(theirs));
  for (const value of values) {
    same(`${name} of ${shown(value)}`, outcome(() => ours.safeParse(value)), outcome(() => theirs.safeParse(value)));
  }
  for (const options of [{}, { io: 'input', target: 'draft-7', unrepresentable: 'any' }]) {
    same(`JSON Schema of ${name}`, outcome(() => z.toJSONSchema(ours, options)), outcome(() => npm.z.toJSONSchema(theirs, options)));
  }
  check(`${name} is a ZodType`, ours instanceof z.ZodType && ours instanceof z.core.$ZodType);
  z.config(english());
  npm.z.config(npm.z.locales.en());
}

// Errors.
const failed = (z) => z.object({ a: z.string(), b: z.array(z.number()) }).safeParse({ a: 1, b: ['x'] }).error;
const [ours, theirs] = [failed(z), failed(npm.z)];
for (const show of ['prettifyError', 'treeifyError', 'flattenError', 'formatError']) same(show, z[show](ours), npm.z[show](theirs));
check('errors', ours instanceof z.ZodError && ours.name === theirs.name && ours.message === theirs.message);
same('parse', outcome(() => z.string().parse(1)), outcome(() => npm.z.string().parse(1)));
check('async', (await z.string().refine(async () => true).parseAsync('x')) === 'x');
check('detached', (({ parse }) => parse('x'))(z.string()) === 'x');
check('subclass', class extends z.ZodString {} && z.string().constructor === z.ZodString);
check('names', z.core.$ZodAsyncError.name !== undefined && z.registry() instanceof z.core.$ZodRegistry);
console.log(wrong.length === 0 ? 'the same' : wrong.join('\n'));
