// `node:crypto`: hashes, message authentication and random values, over `src/script/globals/crypto.rs`.
import { createHash as nativeHash, createHmac as nativeHmac, hashes, randomBytes as nativeRandom } from 'lmthing:internal/native/crypto';
import { crypto as webcrypto, randomUUID } from 'lmthing:internal/web/crypto';
import { Buffer } from 'node:buffer';
import { brand } from '../shared/brand.js';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError, notOffered, outOfRange } from '../shared/errors.js';

/** Node takes `SHA256`, `sha-256` and `RSA-SHA256` for `sha256`. */
function nativeName(name) {
  const lower = name.toLowerCase().replace(/^rsa-/, '');
  return hashes.includes(lower) ? lower : lower.replace(/^sha-/, 'sha');
}

function bytesOf(data, encoding, name) {
  if (typeof data === 'string') return asBytes(Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding));
  const bytes = asBytes(data);
  if (bytes) return bytes;
  throw invalidArgumentType(name, 'of type string or an instance of Buffer, TypedArray, or DataView', data);
}

const encoded = (bytes, encoding) => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding === undefined || encoding === 'buffer' ? buffer : buffer.toString(encoding);
};

export class Hash {
  #native;
  #done = false;

  constructor(algorithm, native = undefined) {
    if (typeof algorithm !== 'string') throw invalidArgumentType('algorithm', 'of type string', algorithm);
    this.#native = native ?? nativeHash(nativeName(algorithm));
    if (!this.#native) throw new Error('Digest method not supported');
  }

  update(data, encoding = undefined) {
    if (this.#done) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    this.#native.update(bytesOf(data, encoding, 'data'));
    return this;
  }

  digest(encoding = undefined) {
    if (this.#done) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    this.#done = true;
    return encoded(this.#native.digest(), encoding);
  }

  copy() {
    if (this.#done) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    return new Hash('copy', this.#native.copy());
  }
}

brand(Hash, 'Hash', false);

export class Hmac {
  #native;
  #done = false;

  constructor(algorithm, key) {
    if (typeof algorithm !== 'string') throw invalidArgumentType('hmac', 'of type string', algorithm);
    this.#native = nativeHmac(nativeName(algorithm), bytesOf(key, 'utf8', 'key'));
    if (!this.#native) throw nodeError(Error, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
  }

  update(data, encoding = undefined) {
    if (this.#done) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    this.#native.update(bytesOf(data, encoding, 'data'));
    return this;
  }

  /** A second call gives nothing, as in Node. */
  digest(encoding = undefined) {
    const bytes = this.#done ? new Uint8Array(0) : this.#native.digest();
    this.#done = true;
    return encoded(bytes, encoding);
  }
}

export const createHash = (algorithm) => new Hash(algorithm);
export const createHmac = (algorithm, key) => new Hmac(algorithm, key);
export const getHashes = () => [...hashes];

/** One-shot digest, hex unless another encoding is asked for. */
export const hash = (algorithm, data, encoding = 'hex') => createHash(algorithm).update(data).digest(encoding);

const MAX_RANDOM = 2 ** 31 - 1;

function checkSize(size) {
  if (typeof size !== 'number') throw invalidArgumentType('size', 'of type number', size);
  if (!(size >= 0 && size <= MAX_RANDOM)) throw outOfRange('size', `>= 0 && <= ${MAX_RANDOM}`, size);
}

/** Gives the result to the callback later, or returns it. */
function answer(make, callback) {
  if (typeof callback !== 'function') return make();
  const value = make();
  queueMicrotask(() => callback(null, value));
  return undefined;
}

export function randomBytes(size, callback = undefined) {
  checkSize(size);
  return answer(() => encoded(nativeRandom(Math.trunc(size))), callback);
}
export { randomBytes as pseudoRandomBytes, randomBytes as prng, randomBytes as rng };

export function randomFillSync(buffer, offset = 0, size = undefined) {
  const bytes = asBytes(buffer);
  if (!bytes) throw invalidArgumentType('buf', 'an instance of ArrayBuffer or ArrayBufferView', buffer);
  const part = bytes.subarray(offset, size === undefined ? undefined : offset + size);
  part.set(nativeRandom(part.length));
  return buffer;
}

export function randomFill(buffer, ...rest) {
  const callback = rest.pop();
  answer(() => randomFillSync(buffer, ...rest), callback);
}

/** A whole number from `min` (0) up to but not including `max`, each as likely. */
export function randomInt(min, max, callback) {
  if (max === undefined || typeof max === 'function') [min, max, callback] = [0, min, max];
  if (!Number.isSafeInteger(min)) throw invalidArgumentType('min', 'a safe integer', min);
  if (!Number.isSafeInteger(max)) throw invalidArgumentType('max', 'a safe integer', max);
  if (max <= min) throw outOfRange('max', `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (range > 2 ** 48 - 1) throw outOfRange(min === 0 ? 'max' : 'max - min', '<= 281474976710655', range);
  return answer(() => {
    // Numbers past the last whole multiple of the range would favour the small results.
    const limit = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      const value = nativeRandom(6).reduce((sum, byte) => sum * 256 + byte, 0);
      if (value < limit) return min + (value % range);
    }
  }, callback);
}

export function timingSafeEqual(first, second) {
  const [a, b] = [asBytes(first), asBytes(second)];
  if (!a) throw invalidArgumentType('buf1', 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView', first);
  if (!b) throw invalidArgumentType('buf2', 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView', second);
  if (a.length !== b.length) {
    throw nodeError(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  }
  return a.reduce((difference, byte, index) => difference | (byte ^ b[index]), 0) === 0;
}

export const getRandomValues = (array) => webcrypto.getRandomValues(array);
export const { subtle } = webcrypto;
export { randomUUID, webcrypto };

const missing = (name) => notOffered(`crypto.${name}`, 'only hashes, HMAC and random values');
export const createCipheriv = missing('createCipheriv');
export const createDecipheriv = missing('createDecipheriv');
export const createSign = missing('createSign');
export const createVerify = missing('createVerify');
export const createPrivateKey = missing('createPrivateKey');
export const createPublicKey = missing('createPublicKey');
export const createSecretKey = missing('createSecretKey');
export const generateKeyPairSync = missing('generateKeyPairSync');
export const pbkdf2 = missing('pbkdf2');
export const pbkdf2Sync = missing('pbkdf2Sync');
export const scrypt = missing('scrypt');
export const scryptSync = missing('scryptSync');
export const sign = missing('sign');
export const verify = missing('verify');

export default { createCipheriv, createDecipheriv, createHash, createHmac, createPrivateKey, createPublicKey, createSecretKey, createSign, createVerify, generateKeyPairSync, getHashes, getRandomValues, Hash, hash, Hmac, pbkdf2, pbkdf2Sync, randomBytes, randomFill, randomFillSync, randomInt, randomUUID, scrypt, scryptSync, sign, subtle, timingSafeEqual, verify, webcrypto };
