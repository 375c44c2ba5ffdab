// Arguments that many functions take alike.
import { Buffer } from 'node:buffer';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, outOfRange } from '../shared/errors.js';

const BUFFERS = 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView';

/** The bytes of a string or buffer; `expected` says what the error says. */
export function bytesOf(data, name, encoding = undefined, expected = BUFFERS) {
  if (typeof data === 'string') return asBytes(Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding));
  const bytes = asBytes(data);
  if (bytes) return bytes;
  throw invalidArgumentType(name, expected, data);
}

/** Data that is hashed, signed or encrypted. */
export const dataOf = (data, encoding) =>
  bytesOf(data, 'data', encoding, 'of type string or an instance of Buffer, TypedArray, or DataView');

/** The bytes as a `Buffer`, or as a string when an encoding is asked for. */
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

/** Gives what `work` comes to to the callback, errors too, when the script has nothing else to do. */
export function answerLater(work, callback) {
  const answer = (...results) => setImmediate(() => callback(...results));
  Promise.resolve().then(work).then((value) => answer(null, value), (error) => answer(error));
}
