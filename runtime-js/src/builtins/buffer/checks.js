// Argument errors of `Buffer` methods, with Node's messages.
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';

export const BYTES = 'an instance of Buffer or Uint8Array';

export function checkBytes(value, name) {
  if (!(value instanceof Uint8Array)) throw invalidArgumentType(name, BYTES, value);
}

export function checkNumber(value, name) {
  if (typeof value !== 'number') throw invalidArgumentType(name, 'of type number', value);
}

export function checkRange(value, name, min, max) {
  checkNumber(value, name);
  if (!(value >= min && value <= max)) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

export const unknownEncoding = (encoding) => nodeError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);

/** The error for an offset outside of the buffer; `last` is the last valid one. */
export function outOfBounds(value, last, name = 'offset') {
  checkNumber(value, name);
  if (Math.floor(value) !== value) return outOfRange(name, 'an integer', value);
  if (last < 0) return nodeError(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
  return outOfRange(name, `>= ${name === 'offset' ? 0 : 1} and <= ${last}`, value);
}
