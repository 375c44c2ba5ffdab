import { createHash as nativeHash, createHmac as nativeHmac } from 'lmthing:internal/native/crypto';
import { brand } from '../shared/brand.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { checkInteger, checkString, dataOf, encoded } from './arguments.js';
import { invalidDigest, opensslError } from './errors.js';
import { secretBytes } from './keys.js';
import { LazyTransform } from './lazy-transform.js';
import { EXTENDABLE, hashName } from './names.js';

const finalized = () => nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');

export class Hash extends LazyTransform {
  #native;
  #length;
  #done = false;

  constructor(algorithm, options = undefined) {
    super();
    if (algorithm instanceof Hash) {
      this.#native = algorithm.#native.copy();
      this.#length = options?.outputLength ?? algorithm.#length;
      this._options = options;
      return;
    }
    checkString(algorithm, 'algorithm');
    if (options?.outputLength !== undefined) checkInteger(options.outputLength, 'options.outputLength', 0, 2 ** 32 - 1);
    const name = hashName(algorithm);
    if (!name) throw new Error('Digest method not supported');
    this._options = options;
    this.#native = nativeHash(name);
    this.#length = options?.outputLength ?? EXTENDABLE[name];
    if (!EXTENDABLE[name] && this.#length !== undefined && this.#native.digest().length !== this.#length) {
      throw opensslError('EVP_NOT_XOF_OR_INVALID_LENGTH');
    }
  }

  update(data, encoding = undefined) {
    if (this.#done) throw finalized();
    this.#native.update(dataOf(data, encoding));
    return this;
  }

  digest(encoding = undefined) {
    if (this.#done) throw finalized();
    this.#done = true;
    return encoded(this.#native.digest(this.#length), encoding);
  }

  copy(options = undefined) {
    if (this.#done) throw finalized();
    return new Hash(this, options);
  }

  _transform(chunk, encoding, callback) {
    this.#native.update(dataOf(chunk, encoding));
    callback();
  }

  /** `digest()` may still be called after the stream has ended. */
  _flush(callback) {
    this.push(encoded(this.#native.digest(this.#length)));
    callback();
  }
}
brand(Hash, 'Hash', false);

export class Hmac extends LazyTransform {
  #native;
  #done = false;

  constructor(algorithm, key, options = undefined) {
    super();
    checkString(algorithm, 'hmac');
    const bytes = secretBytes(key, 'key', options?.encoding);
    const name = hashName(algorithm);
    this.#native = name && nativeHmac(name, bytes);
    this._options = options;
    if (!this.#native) throw invalidDigest(algorithm);
  }

  update(data, encoding = undefined) {
    if (this.#done) throw finalized();
    this.#native.update(dataOf(data, encoding));
    return this;
  }

  /** A second call returns an empty result, as in Node. */
  digest(encoding = undefined) {
    const bytes = this.#done ? new Uint8Array(0) : this.#native.digest();
    this.#done = true;
    return encoded(bytes, encoding);
  }

  _transform(chunk, encoding, callback) {
    this.#native.update(dataOf(chunk, encoding));
    callback();
  }

  _flush(callback) {
    this.push(this.digest());
    callback();
  }
}
brand(Hmac, 'Hmac', false);

export const createHash = (algorithm, options) => new Hash(algorithm, options);
export const createHmac = (algorithm, key, options) => new Hmac(algorithm, key, options);

export function hash(algorithm, data, encoding = 'hex') {
  checkString(algorithm, 'algorithm');
  if (typeof data !== 'string' && !ArrayBuffer.isView(data)) {
    throw invalidArgumentType('input', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
  }
  return createHash(algorithm).update(data).digest(encoding);
}
