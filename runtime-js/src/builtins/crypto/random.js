import { randomBytes as nativeRandom } from 'lmthing:internal/native/crypto';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';
import { answerLater, checkFunction, encoded } from './arguments.js';

const MAX_RANDOM = 2 ** 31 - 1;

function checkSize(size, name, most) {
  if (typeof size !== 'number') throw invalidArgumentType(name, 'of type number', size);
  if (!(size >= 0 && size <= most)) throw outOfRange(name, `>= 0 && <= ${most}`, size);
}

export function randomBytes(size, callback = undefined) {
  checkSize(size, 'size', MAX_RANDOM);
  const make = () => encoded(nativeRandom(Math.trunc(size)));
  if (callback === undefined) return make();
  checkFunction(callback);
  return answerLater(make, callback);
}

function checkedPart(buffer, offset = 0, size = undefined) {
  const bytes = asBytes(buffer);
  if (!bytes) throw invalidArgumentType('buf', 'an instance of ArrayBuffer or ArrayBufferView', buffer);
  const width = buffer.BYTES_PER_ELEMENT ?? 1;
  const start = offset * width;
  checkSize(start, 'offset', bytes.length);
  const length = size === undefined ? bytes.length - start : size * width;
  checkSize(length, 'size', MAX_RANDOM);
  if (start + length > bytes.length) throw outOfRange('size + offset', `<= ${bytes.length}`, start + length);
  return bytes.subarray(start, start + length);
}

export function randomFillSync(buffer, offset, size) {
  const part = checkedPart(buffer, offset, size);
  part.set(nativeRandom(part.length));
  return buffer;
}

export function randomFill(buffer, offset, size, callback) {
  if (typeof offset === 'function') [offset, size, callback] = [undefined, undefined, offset];
  else if (typeof size === 'function') [size, callback] = [undefined, size];
  checkFunction(callback);
  checkedPart(buffer, offset, size);
  answerLater(() => randomFillSync(buffer, offset, size), callback);
}

/** A uniformly distributed integer in [min, max). */
export function randomInt(min, max, callback) {
  const hasOne = max === undefined || typeof max === 'function';
  if (hasOne) [min, max, callback] = [0, min, max];
  if (callback !== undefined) checkFunction(callback);
  if (!Number.isSafeInteger(min)) throw invalidArgumentType('min', 'a safe integer', min);
  if (!Number.isSafeInteger(max)) throw invalidArgumentType('max', 'a safe integer', max);
  if (max <= min) throw outOfRange('max', `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (range > 2 ** 48 - 1) throw outOfRange(hasOne ? 'max' : 'max - min', '<= 281474976710655', range);
  const pick = () => {
    // Rejects numbers past the last multiple of the range, which would favour small results.
    const limit = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      const value = nativeRandom(6).reduce((sum, byte) => sum * 256 + byte, 0);
      if (value < limit) return min + (value % range);
    }
  };
  return callback ? answerLater(pick, callback) : pick();
}

export function timingSafeEqual(first, second) {
  const [a, b] = [asBytes(first), asBytes(second)];
  const expected = (name) => nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  if (!a) throw expected('buf1');
  if (!b) throw expected('buf2');
  if (a.length !== b.length) {
    throw nodeError(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  }
  return a.reduce((difference, byte, index) => difference | (byte ^ b[index]), 0) === 0;
}
