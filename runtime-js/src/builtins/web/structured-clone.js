// `structuredClone`, for the supported types.
import { proxyDetails } from 'lmthing:internal/native/inspect';
import { Blob, File } from 'lmthing:internal/web/blob';
import { nodeError } from '../shared/errors.js';

const ERROR_TYPES = new Map(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((type) => [type.name, type]),
);

function notCloneable(value) {
  const text = typeof value === 'object' ? `#<${value.constructor?.name || 'Object'}>` : String(value);
  return new DOMException(`${text} could not be cloned.`, 'DataCloneError');
}

/** Tests the class of an object by its internal slots, which `Symbol.toStringTag` cannot fake. */
function hasSlot(method, value) {
  try {
    method.call(value);
    return true;
  } catch {
    return false;
  }
}
const isProxy = (value) => proxyDetails(value) !== undefined;
const isDate = (value) => hasSlot(Date.prototype.getTime, value);
const isMap = (value) => hasSlot(Object.getOwnPropertyDescriptor(Map.prototype, 'size').get, value);
const isSet = (value) => hasSlot(Object.getOwnPropertyDescriptor(Set.prototype, 'size').get, value);
const isRegExp = (value) => value instanceof RegExp && hasSlot(RegExp.prototype.toString, value);
const isBox = (value) => [Boolean, Number, String, BigInt].some((type) => hasSlot(type.prototype.valueOf, value));

function cloneBuffer(buffer, transferred) {
  if (transferred.has(buffer)) return transferred.get(buffer);
  if (buffer.detached) throw new DOMException('An ArrayBuffer is detached and could not be cloned.', 'DataCloneError');
  return buffer.slice(0);
}

function cloneError(error, clone) {
  const Type = ERROR_TYPES.get(String(error.name)) ?? Error;
  const result = new Type();
  const own = (name, value) => Object.defineProperty(result, name, { value, writable: true, configurable: true, enumerable: false });
  const message = Object.getOwnPropertyDescriptor(error, 'message');
  if (message && 'value' in message) own('message', String(message.value));
  own('stack', String(error.stack));
  if (Object.hasOwn(error, 'cause')) own('cause', clone(error.cause));
  return result;
}

/** Copies a value without members to clone; `undefined` for others. */
function cloneLeaf(value, clone, transferred, places) {
  if (ArrayBuffer.isView(value)) {
    // The position was recorded before the buffer was detached, which resets it.
    const place = places.get(value) ?? placeOf(value);
    places.set(value, place);
    const Type = value instanceof DataView ? DataView : globalThis[typeName(value)];
    return new Type(clone(place.buffer), place.offset, place.length);
  }
  if (value instanceof ArrayBuffer) return cloneBuffer(value, transferred);
  if (typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer) return value;
  if (isDate(value)) return new Date(Date.prototype.getTime.call(value));
  if (isRegExp(value)) return new RegExp(value.source, value.flags);
  if (isBox(value)) return Object(value.valueOf());
  if (value instanceof File) return new File([value], value.name, { type: value.type, lastModified: value.lastModified });
  if (value instanceof Blob) return new Blob([value], { type: value.type });
  if (value instanceof DOMException) {
    const copy = new DOMException(value.message, value.name);
    Object.defineProperty(copy, 'stack', { value: value.stack, writable: true, configurable: true });
    return copy;
  }
  return undefined;
}

const typeName = (view) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get.call(view);

const placeOf = (view) => ({
  buffer: view.buffer,
  offset: view.byteOffset,
  length: view instanceof DataView ? view.byteLength : view.length,
});

const UNCLONEABLE = [WeakMap, WeakSet, WeakRef, Promise];

function cloneValue(root, transferred, places = new Map()) {
  const seen = new Map();
  const clone = (value) => {
    if (typeof value === 'symbol' || typeof value === 'function') throw notCloneable(value);
    if (value === null || typeof value !== 'object') return value;
    if (seen.has(value)) return seen.get(value);
    if (isProxy(value) || UNCLONEABLE.some((type) => value instanceof type)) throw notCloneable(value);
    const leaf = cloneLeaf(value, clone, transferred, places);
    if (leaf !== undefined) {
      seen.set(value, leaf);
      return leaf;
    }
    if (Error.isError?.(value) ?? value instanceof Error) {
      const copy = cloneError(value, clone);
      seen.set(value, copy);
      return copy;
    }
    return cloneMembers(value, seen, clone);
  };
  return clone(root);
}

function cloneMembers(value, seen, clone) {
  if (isMap(value)) {
    const copy = new Map();
    seen.set(value, copy);
    for (const [key, item] of [...value]) copy.set(clone(key), clone(item));
    return copy;
  }
  if (isSet(value)) {
    const copy = new Set();
    seen.set(value, copy);
    for (const item of [...value]) copy.add(clone(item));
    return copy;
  }
  const copy = Array.isArray(value) ? new Array(value.length) : {};
  seen.set(value, copy);
  for (const key of Object.keys(value)) copy[key] = clone(value[key]);
  return copy;
}

/** Keeps cycles and built-in types; throws a `DataCloneError` for functions, symbols and the like. */
export function structuredClone(value, options = undefined) {
  if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The value argument must be specified');
  const transferred = new Map();
  const transfer = [...(options?.transfer ?? [])];
  for (const item of transfer) {
    if (!(item instanceof ArrayBuffer)) throw new DOMException('Value not transferable', 'DataCloneError');
    if (item.detached) throw new DOMException('An ArrayBuffer is detached and could not be cloned.', 'DataCloneError');
    if (transferred.has(item)) throw new DOMException('An ArrayBuffer is listed twice', 'DataCloneError');
    transferred.set(item, undefined);
  }
  const places = new Map();
  // Buffers are detached only after everything else was cloned, so that a failure changes nothing.
  if (transferred.size > 0) {
    cloneValue(value, new Map(transfer.map((item) => [item, item])), places);
    for (const item of transfer) transferred.set(item, item.transfer());
  }
  return cloneValue(value, transferred, places);
}
