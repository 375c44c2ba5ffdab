// `util.isDeepStrictEqual`: equal types, prototypes, own enumerable members and built-in contents.
import * as types from 'node:util/types';

const BOXED = ['isNumberObject', 'isStringObject', 'isBooleanObject', 'isBigIntObject', 'isSymbolObject'];
const KINDS = ['isDate', 'isRegExp', 'isMap', 'isSet', 'isNativeError', 'isAnyArrayBuffer', 'isTypedArray', 'isDataView', ...BOXED];

function enumerableKeys(value) {
  const symbols = Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
  return [...Object.keys(value), ...symbols];
}

const bytesOf = (value) => (ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value));

function equalBytes(a, b) {
  const [first, second] = [bytesOf(a), bytesOf(b)];
  return first.length === second.length && first.every((byte, index) => byte === second[index]);
}

/** Whether the built-in contents are equal, apart from the members. */
function equalContents(a, b, equal) {
  if (types.isDate(a)) return Object.is(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b));
  if (types.isRegExp(a)) return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
  if (types.isNativeError(a)) return a.message === b.message && a.name === b.name && equal(a.cause, b.cause);
  if (types.isFloat32Array(a) || types.isFloat64Array(a)) {
    return a.length === b.length && a.every((item, index) => Object.is(item, b[index]));
  }
  if (types.isAnyArrayBuffer(a) || types.isTypedArray(a) || types.isDataView(a)) return equalBytes(a, b);
  if (types.isBoxedPrimitive(a)) return Object.is(a.valueOf(), b.valueOf());
  if (types.isSet(a)) return equalSets(a, b, equal);
  if (types.isMap(a)) return equalMaps(a, b, equal);
  return true;
}

/** Finds for every item of `wanted` one of `items` that is its own; items are used up. */
function matchAll(wanted, items, matches) {
  const left = [...items];
  return wanted.every((item) => {
    const index = left.findIndex((other) => matches(item, other));
    if (index < 0) return false;
    left.splice(index, 1);
    return true;
  });
}

function equalSets(a, b, equal) {
  if (a.size !== b.size) return false;
  const missing = [...a].filter((item) => !b.has(item));
  if (missing.some((item) => typeof item !== 'object' || item === null)) return false;
  return matchAll(missing, [...b].filter((item) => !a.has(item)), equal);
}

function equalMaps(a, b, equal) {
  if (a.size !== b.size) return false;
  const missing = [...a].filter(([key]) => !b.has(key));
  if (missing.some(([key]) => typeof key !== 'object' || key === null)) return false;
  if (![...a].every(([key, value]) => !b.has(key) || equal(value, b.get(key)))) return false;
  return matchAll(missing, [...b].filter(([key]) => !a.has(key)), ([key, value], [other, item]) => equal(key, other) && equal(value, item));
}

function equalMembers(a, b, equal) {
  const [keys, others] = [enumerableKeys(a), enumerableKeys(b)];
  if (keys.length !== others.length) return false;
  return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && equal(a[key], b[key]));
}

/** As Node's: `Object.is` for primitives, structure for everything else; cycles are equal when they lie alike. */
export function isDeepStrictEqual(first, second) {
  const comparing = new Map();
  const equal = (a, b) => {
    if (Object.is(a, b)) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (Array.isArray(a) !== Array.isArray(b) || (Array.isArray(a) && a.length !== b.length)) return false;
    if (KINDS.some((kind) => types[kind](a) !== types[kind](b))) return false;
    if (types.isPromise(a) || types.isWeakMap(a) || types.isWeakSet(a)) return false;
    if (comparing.has(a)) return comparing.get(a) === b;
    comparing.set(a, b);
    const same = equalContents(a, b, equal) && (types.isTypedArray(a) || equalMembers(a, b, equal));
    comparing.delete(a);
    return same;
  };
  return equal(first, second);
}
