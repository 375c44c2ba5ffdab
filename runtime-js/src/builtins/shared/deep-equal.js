// Structural equality as in `node:assert` and `util.isDeepStrictEqual`: own enumerable members and built-in contents.
// Strict equality also compares types, prototypes and symbol members.
import * as types from 'node:util/types';

const BOXED = ['isNumberObject', 'isStringObject', 'isBooleanObject', 'isBigIntObject', 'isSymbolObject'];
const KINDS = ['isDate', 'isRegExp', 'isMap', 'isSet', 'isAnyArrayBuffer', 'isTypedArray', 'isDataView', ...BOXED];
const PLAIN = '[object Object]';

const isError = (value) => types.isNativeError(value) || value instanceof Error;

function enumerableKeys(value, isStrict) {
  if (!isStrict) return Object.keys(value);
  const symbols = Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
  return [...Object.keys(value), ...symbols];
}

const bytesOf = (value) => (ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value));

function equalBytes(a, b) {
  const [first, second] = [bytesOf(a), bytesOf(b)];
  return first.length === second.length && first.every((byte, index) => byte === second[index]);
}

/** Compares the non-enumerable members of errors; enumerable ones are compared like all others. */
function equalErrors(a, b, equal) {
  const isShown = (name) => Object.prototype.propertyIsEnumerable.call(a, name);
  return ['message', 'name', 'cause', 'errors'].every((name) => isShown(name) || equal(a[name], b[name]));
}

/** Compares built-in contents, apart from members; `isStrict` also distinguishes 0 from -0 in float arrays. */
function equalContents(a, b, equal, isStrict) {
  if (isError(a) || isError(b)) return isError(a) && isError(b) && equalErrors(a, b, equal);
  if (types.isDate(a)) return Object.is(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b));
  if (types.isRegExp(a)) return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
  if (!isStrict && (types.isFloat32Array(a) || types.isFloat64Array(a))) return a.length === b.length && a.every((item, index) => item === b[index]);
  if (types.isAnyArrayBuffer(a) || types.isTypedArray(a) || types.isDataView(a)) return equalBytes(a, b);
  if (types.isBoxedPrimitive(a)) return Object.is(a.valueOf(), b.valueOf());
  if (types.isSet(a)) return equalSets(a, b, equal, isStrict);
  if (types.isMap(a)) return equalMaps(a, b, equal, isStrict);
  if (Object.prototype.toString.call(a) === '[object URL]') return a.href === b.href;
  return true;
}

/** Matches every item of `wanted` with a different one of `items`. */
function matchAll(wanted, items, matches) {
  const left = [...items];
  return wanted.every((item) => {
    const index = left.findIndex((other) => matches(item, other));
    if (index < 0) return false;
    left.splice(index, 1);
    return true;
  });
}

/** In strict mode, a primitive missing in the other collection cannot match. */
const cannotMatch = (item, isStrict) => isStrict && (typeof item !== 'object' || item === null);

function equalSets(a, b, equal, isStrict) {
  if (a.size !== b.size) return false;
  const missing = [...a].filter((item) => !b.has(item));
  if (missing.some((item) => cannotMatch(item, isStrict))) return false;
  return matchAll(missing, [...b].filter((item) => !a.has(item)), equal);
}

function equalMaps(a, b, equal, isStrict) {
  if (a.size !== b.size) return false;
  const missing = [...a].filter(([key]) => !b.has(key));
  if (missing.some(([key]) => cannotMatch(key, isStrict))) return false;
  if (![...a].every(([key, value]) => !b.has(key) || equal(value, b.get(key)))) return false;
  return matchAll(missing, [...b].filter(([key]) => !a.has(key)), ([key, value], [other, item]) => equal(key, other) && equal(value, item));
}

function equalMembers(a, b, equal, isStrict) {
  const [keys, others] = [enumerableKeys(a, isStrict), enumerableKeys(b, isStrict)];
  if (keys.length !== others.length) return false;
  return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && equal(a[key], b[key]));
}

/** Whether both are of one built-in kind. */
function areAlike(a, b, isStrict) {
  if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const tag = Object.prototype.toString.call(a);
  if (tag !== Object.prototype.toString.call(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b) || (Array.isArray(a) && a.length !== b.length)) return false;
  if (tag === PLAIN || Array.isArray(a)) return true;
  return KINDS.every((kind) => types[kind](a) === types[kind](b));
}

function equality(isStrict) {
  // eslint-disable-next-line eqeqeq
  const samePrimitive = (a, b) => isStrict ? Object.is(a, b) : a == b || (Number.isNaN(a) && Number.isNaN(b));
  const isObject = (value) => typeof value === 'object' && value !== null;
  return (first, second) => {
    const comparing = new Map();
    const equal = (a, b) => {
      if (!isObject(a) || !isObject(b)) return !isObject(a) && !isObject(b) && samePrimitive(a, b);
      if (a === b) return true;
      if (!areAlike(a, b, isStrict)) return false;
      // Cycles are equal when they have the same shape.
      if (comparing.has(a)) return comparing.get(a) === b;
      comparing.set(a, b);
      const isPlain = Array.isArray(a) || Object.prototype.toString.call(a) === PLAIN;
      const same =
        (isPlain || equalContents(a, b, equal, isStrict)) &&
        (types.isTypedArray(a) || equalMembers(a, b, equal, isStrict));
      comparing.delete(a);
      return same;
    };
    return equal(first, second);
  };
}

/** `Object.is` for primitives, structure for everything else. */
export const isDeepStrictEqual = equality(true);
/** `==` for primitives. */
export const isDeepEqual = equality(false);
