// Deprecated functions of `node:util`: type tests, `log`, `_extend`.
import * as types from 'node:util/types';

export const { isArray } = Array;
export const isBoolean = (value) => typeof value === 'boolean';
export const isBuffer = (value) => globalThis.Buffer.isBuffer(value);
export const isDate = (value) => types.isDate(value);
export const isError = (value) => types.isNativeError(value) || value instanceof Error;
export const isFunction = (value) => typeof value === 'function';
export const isNull = (value) => value === null;
export const isNullOrUndefined = (value) => value === null || value === undefined;
export const isNumber = (value) => typeof value === 'number';
export const isObject = (value) => value !== null && typeof value === 'object';
export const isPrimitive = (value) => value === null || (typeof value !== 'object' && typeof value !== 'function');
export const isRegExp = (value) => types.isRegExp(value);
export const isString = (value) => typeof value === 'string';
export const isSymbol = (value) => typeof value === 'symbol';
export const isUndefined = (value) => value === undefined;

export function _extend(target, source) {
  return isObject(source) ? Object.assign(target, source) : target;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `console.log` with the time of day in front. */
export function log(...values) {
  const now = new Date();
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
  console.log('%s - %s', `${now.getDate()} ${MONTHS[now.getMonth()]} ${time}`, values.map(String).join(' '));
}
