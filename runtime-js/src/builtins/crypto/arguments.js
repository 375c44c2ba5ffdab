// Argument checks shared by the functions of `node:crypto`.
import { Buffer } from 'node:buffer';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, outOfRange } from '../shared/errors.js';

const BUFFERS = 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView';

/** The bytes of a string or buffer; `expected` is for the error message. */
export function bytesOf(data, name, encoding = undefined, expected = BUFFERS) {
  if (typeof data === 'string') return asBytes(Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding));
  const bytes = asBytes(data);
  if (bytes) return bytes;
  throw invalidArgumentType(name, expected, data);
}

export const dataOf = (data, encoding) =>
  bytesOf(data, 'data', encoding, 'of type string or an instance of Buffer, TypedArray, or DataView');

/** The bytes as a `Buffer`, or as a string in `encoding`. */
export function encoded(bytes, encoding = undefined) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding === undefined || encoding === null || encoding === 'buffer' ? buffer : buffer.toString(encoding);
}

export function checkString(value, name) {
  if (typeof value !== 'string') throw invalidArgumentType(name, 'of type string', value);
}

export function checkFunction(value, name = 'callback') {
  if (typeof value !== 'function') throw invalidArgumentType(name, 'of type function', value);
}

export function checkObject(value, name) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalidArgumentType(name, 'of type object', value);
}

export function checkInteger(value, name, minimum, maximum) {
  if (typeof value !== 'number') throw invalidArgumentType(name, 'of type number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < minimum || value > maximum) throw outOfRange(name, `>= ${minimum} && <= ${maximum}`, value);
}

/** Calls the callback with the result or error of `work` in a separate task. */
export function answerLater(work, callback) {
  const answer = (...results) => setImmediate(() => callback(...results));
  Promise.resolve().then(work).then((value) => answer(null, value), (error) => answer(error));
}
