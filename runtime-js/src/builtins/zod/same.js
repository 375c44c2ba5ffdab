// Whether two zod schemas certainly validate and convert alike. A prompt function makes the same schemas at every run;
// the first ones are then used again, as a schema's first use is slow. Whatever is not plain data and not the same
// object counts as different, so two schemas with a `refine` are. Getters of the script are not run.
//
// It runs for every schema before every step, and QuickJS takes longer for calls of its built-in functions, for
// destructuring and for methods than for reading properties.
const { hasOwn } = Object;
const { ownKeys } = Reflect;

/** Larger schemas are not worth the comparison. */
const MAX_PARTS = 5_000;

let metadata;
let left;

export default function isSame(one, other) {
  try {
    // What was set or read on the new schema is not known of the old one.
    if (hasOwn(other, '~standard')) return false;
    metadata = globalThis.__zod_globalRegistry._map;
    left = MAX_PARTS;
    return isSameSchema(one, other);
  } catch {
    return false;
  }
}

/** Of schemas and checks, the constructor defines everything but `def`, `parent` and metadata. */
function isSameSchema(one, other) {
  if (one === other) return true;
  const a = one._zod;
  const b = other._zod;
  if (--left < 0 || !a.constr || a.constr !== b.constr || one.constructor !== other.constructor) return false;
  if (a.toJSONSchema || b.toJSONSchema || !isSameValue(metadata.get(one), metadata.get(other))) return false;
  const parent = a.parent;
  if (!parent || !b.parent) return !parent && !b.parent && isSameDefinition(a.def, b.def);
  if (!isSameSchema(parent, b.parent)) return false;
  // `describe` and `meta` share the definition with the schema that they copy.
  return (a.def === parent._zod.def && b.def === b.parent._zod.def) || isSameDefinition(a.def, b.def);
}

function isSameDefinition(a, b) {
  const names = ownKeys(a);
  const others = ownKeys(b);
  const { length } = names;
  if (length !== others.length) return false;
  for (let index = 0; index < length; index++) {
    const name = names[index];
    if (name !== others[index]) return false;
    if (name === 'shape' || name === 'defaultValue') {
      if (!isSameValue(copied(a, name), copied(b, name))) return false;
    } else if (!isSameValue(a[name], b[name])) return false;
  }
  return true;
}

/** The value that a getter of zod copies at every read, or once. */
function copied(def, name) {
  const getter = def.__lookupGetter__(name);
  if (getter && !hasOwn(getter, 'raw')) throw new Error('made by a function');
  return getter ? getter.raw : def[name];
}

function isSameValue(a, b) {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a !== a && b !== b;
  if (a._zod) return isSameSchema(a, b);
  const { constructor } = a;
  if (--left < 0 || constructor !== b.constructor) return false;
  if (constructor === Array) return isSameList(a, b);
  if (constructor === RegExp) return isSamePattern(a, b);
  return constructor === Object && isSameData(a, b);
}

function isSameList(a, b) {
  const { length } = a;
  if (length !== b.length) return false;
  for (let index = 0; index < length; index++) if (!isSameValue(a[index], b[index])) return false;
  return true;
}

/** Compares properties, in order. */
function isSameData(a, b) {
  const names = ownKeys(a);
  const others = ownKeys(b);
  const { length } = names;
  if (length !== others.length) return false;
  for (let index = 0; index < length; index++) {
    const name = names[index];
    if (name !== others[index] || b.__lookupGetter__(name) || a.__lookupGetter__(name)) return false;
    if (!isSameValue(a[name], b[name])) return false;
  }
  return true;
}

function isSamePattern(a, b) {
  // `lastIndex` of a global or sticky one is a state; any other own property was added.
  const isStateless = ownKeys(a).length === 1 && ownKeys(b).length === 1 && !a.global && !a.sticky;
  return isStateless && a.source === b.source && a.flags === b.flags;
}
