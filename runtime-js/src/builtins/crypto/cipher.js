import { createCipher } from 'lmthing:internal/native/crypto';
import { StringDecoder } from 'node:string_decoder';
import { brand } from '../shared/brand.js';
import { nodeError } from '../shared/errors.js';
import { bytesOf, checkString, dataOf, encoded } from './arguments.js';
import { invalidState, opensslError } from './errors.js';
import { secretBytes } from './keys.js';
import { LazyTransform } from './lazy-transform.js';
import { cipherOf, cipherOfNumber } from './names.js';

/** Ciphers of OpenSSL that are not supported. */
const LEFT_OUT = /^(id-)?(aes|aria|camellia|chacha20|des|sm4|rc[24]|bf|cast)/i;
const OFFERED = 'lmthing offers AES (cbc, ctr, ecb, gcm) and chacha20-poly1305';

const invalidVector = () => nodeError(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
const unauthentic = () => new Error('Unsupported state or unable to authenticate data');

function checkVector(cipher, iv) {
  const length = iv?.length ?? 0;
  if (cipher.mode === 'gcm' ? length === 0 : length !== (cipher.ivLength ?? 0)) throw invalidVector();
}

function isTagLength(cipher, length) {
  if (cipher.mode === 'gcm') return length === 4 || length === 8 || (length >= 12 && length <= 16);
  return length >= 1 && length <= 16;
}

const invalidTag = (length) => nodeError(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${length}`);

class CipherBase extends LazyTransform {
  #native;
  #cipher;
  #encrypts;
  #tagLength;
  #hasTag = false;
  #done = false;
  #decoder;

  constructor(name, key, iv, options, encrypts) {
    super();
    checkString(name, 'cipher');
    const keyBytes = secretBytes(key, 'key', 'utf8');
    const vector = iv === null ? null : bytesOf(iv, 'iv', 'utf8');
    const cipher = cipherOf(name);
    if (!cipher) {
      const message = LEFT_OUT.test(name) ? `Unknown cipher: ${name} (${OFFERED})` : 'Unknown cipher';
      throw nodeError(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', message);
    }
    if (keyBytes.length !== cipher.keyLength) throw nodeError(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
    checkVector(cipher, vector);
    this.#tagLength = options?.authTagLength;
    const isAuthenticated = cipher.mode === 'gcm' || cipher.mode === 'stream';
    if (isAuthenticated && this.#tagLength !== undefined && !isTagLength(cipher, this.#tagLength)) throw invalidTag(this.#tagLength);
    this.#native = createCipher(cipher.native, keyBytes, vector ?? new Uint8Array(0), encrypts);
    if (!this.#native) throw invalidVector();
    this.#cipher = cipher;
    this.#encrypts = encrypts;
    this._options = options;
  }

  get #isAuthenticated() {
    return this.#cipher.mode === 'gcm' || this.#cipher.mode === 'stream';
  }

  #text(bytes, encoding, isLast) {
    if (encoding === undefined || encoding === null || encoding === 'buffer') return encoded(bytes);
    // A character may continue in the next chunk.
    this.#decoder ??= new StringDecoder(encoding);
    return isLast ? this.#decoder.end(encoded(bytes)) : this.#decoder.write(encoded(bytes));
  }

  update(data, inputEncoding = undefined, outputEncoding = undefined) {
    const bytes = dataOf(data, inputEncoding);
    if (this.#done) throw new Error('Trying to add data in unsupported state');
    return this.#text(this.#native.update(bytes), outputEncoding, false);
  }

  final(outputEncoding = undefined) {
    if (this.#done) throw invalidState();
    this.#done = true;
    return this.#text(this.#finish(), outputEncoding, true);
  }

  #finish() {
    try {
      return this.#native.finish();
    } catch (error) {
      if (error.message === 'bad decrypt') throw opensslError('BAD_DECRYPT');
      if (error.message === 'wrong final block length') throw opensslError('WRONG_FINAL_BLOCK_LENGTH');
      throw unauthentic();
    }
  }

  setAutoPadding(padding = true) {
    if (this.#done) throw invalidState('setAutoPadding');
    this.#native.setPadding(Boolean(padding));
    return this;
  }

  setAAD(data, options = undefined) {
    const bytes = bytesOf(data, 'aadbuf', options?.encoding);
    if (this.#done || !this.#isAuthenticated) throw invalidState('setAAD');
    this.#native.authenticate(bytes);
    return this;
  }

  _authTag() {
    const tag = this.#encrypts && this.#done && this.#isAuthenticated ? this.#native.tag() : undefined;
    if (!tag) throw invalidState('getAuthTag');
    return encoded(tag.subarray(0, this.#tagLength ?? 16));
  }

  _expectTag(tag, encoding) {
    const bytes = bytesOf(tag, 'buffer', encoding);
    if (!this.#isAuthenticated || this.#done || this.#hasTag) throw invalidState('setAuthTag');
    const fits = this.#tagLength === undefined ? isTagLength(this.#cipher, bytes.length) : bytes.length === this.#tagLength;
    if (!fits) throw invalidTag(bytes.length);
    this.#hasTag = true;
    this.#native.expectTag(bytes);
  }

  _transform(chunk, encoding, callback) {
    this.push(encoded(this.#native.update(dataOf(chunk, encoding))));
    callback();
  }

  _flush(callback) {
    try {
      this.push(this.final());
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }
}

export class Cipheriv extends CipherBase {
  constructor(cipher, key, iv, options) {
    super(cipher, key, iv, options, true);
  }

  getAuthTag() {
    return this._authTag();
  }
}
brand(Cipheriv, 'Cipheriv', false);

export class Decipheriv extends CipherBase {
  constructor(cipher, key, iv, options) {
    super(cipher, key, iv, options, false);
  }

  setAuthTag(tag, encoding = undefined) {
    this._expectTag(tag, encoding);
    return this;
  }
}
brand(Decipheriv, 'Decipheriv', false);

export const createCipheriv = (cipher, key, iv, options) => new Cipheriv(cipher, key, iv, options);
export const createDecipheriv = (cipher, key, iv, options) => new Decipheriv(cipher, key, iv, options);

/** Undefined for an unknown cipher or unsupported lengths. */
export function getCipherInfo(nameOrNumber, { keyLength, ivLength } = {}) {
  const cipher = typeof nameOrNumber === 'number' ? cipherOfNumber(nameOrNumber) : cipherOf(nameOrNumber);
  if (!cipher || (keyLength !== undefined && keyLength !== cipher.keyLength)) return undefined;
  const { mode, name, nid, blockSize } = cipher;
  if (ivLength !== undefined && ivLength !== cipher.ivLength && (mode !== 'gcm' || ivLength < 1)) return undefined;
  return {
    mode,
    name,
    nid,
    ...(blockSize !== undefined && { blockSize }),
    ...(cipher.ivLength !== undefined && { ivLength: ivLength ?? cipher.ivLength }),
    keyLength: cipher.keyLength,
  };
}
