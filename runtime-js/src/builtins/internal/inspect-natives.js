// Engine functions for Node's inspection code: see INSPECT_PATCHES in bundle.mjs.
import * as native from 'lmthing:internal/native/inspect';

/** `[state symbol]` or `[state, result]` of a promise, as Node's binding returns it. */
export function promiseDetails(promise, pending, rejected) {
  const [state, result] = native.promiseDetails(promise);
  if (state === 'pending') return [pending, undefined];
  return [state === 'rejected' ? rejected : undefined, result];
}

/** The target of a proxy, or `[target, handler]`; undefined for other values; null for a revoked one. */
export function proxyDetails(value, both = true) {
  const details = native.proxyDetails(value);
  if (details === undefined) return undefined;
  return both ? details : details[0];
}

/** Throw for values that are no map, or no set, whatever their class is called. */
export const sizeOfMap = Function.prototype.call.bind(Object.getOwnPropertyDescriptor(Map.prototype, 'size').get);
export const sizeOfSet = Function.prototype.call.bind(Object.getOwnPropertyDescriptor(Set.prototype, 'size').get);

export const isPromise = (value) => value instanceof Promise;

/** The own `constructor` of an object; that of promises may be a getter (`internal/async-context.js`). */
export function constructorOf(object) {
  return object === Promise.prototype ? { value: Promise } : Object.getOwnPropertyDescriptor(object, 'constructor');
}
