// The global `crypto`: random values and digests. Keys are not offered.
import { randomBytes } from 'lmthing:internal/native/crypto';
import { asBytes } from '../shared/bytes.js';
import { digest } from '../shared/hashes.js';
import { nodeError, notOffered } from '../shared/errors.js';
import { brand } from '../shared/brand.js';

const DIGESTS = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const TOKEN = Symbol('internal');

function checkToken(token) {
  if (token !== TOKEN) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
}

export class CryptoKey {
  constructor() {
    checkToken();
  }
}

export class SubtleCrypto {
  constructor(token) {
    checkToken(token);
  }

  async digest(algorithm, data) {
    const name = String(typeof algorithm === 'object' && algorithm ? algorithm.name : algorithm).toUpperCase();
    const bytes = asBytes(data);
    if (!bytes) {
      const expected = '2nd argument is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.';
      throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `Failed to execute 'digest' on 'SubtleCrypto': ${expected}`);
    }
    if (!DIGESTS[name]) throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
    return digest(DIGESTS[name], bytes).buffer;
  }
}
const KEY_METHODS = 'encrypt decrypt sign verify generateKey deriveKey deriveBits importKey exportKey wrapKey unwrapKey';
for (const name of KEY_METHODS.split(' ')) {
  const refuse = notOffered(`crypto.subtle.${name}`, 'only crypto.subtle.digest; node:crypto has createHmac');
  SubtleCrypto.prototype[name] = async () => refuse();
}
brand(SubtleCrypto, 'SubtleCrypto');

const MAX_RANDOM_BYTES = 65536;
const isIntegerArray = (value) =>
  ArrayBuffer.isView(value) && !/^Float|^DataView|^undefined/.test(String(value[Symbol.toStringTag]));

/** A version 4 UUID, for `crypto.randomUUID()` of both faces. */
export function randomUUID() {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export class Crypto {
  #subtle = new SubtleCrypto(TOKEN);

  constructor(token) {
    checkToken(token);
  }

  get subtle() {
    return this.#subtle;
  }

  getRandomValues(array) {
    if (!isIntegerArray(array)) {
      throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
    }
    if (array.byteLength > MAX_RANDOM_BYTES) {
      throw new DOMException('The requested length exceeds 65,536 bytes', 'QuotaExceededError');
    }
    asBytes(array).set(randomBytes(array.byteLength));
    return array;
  }

  randomUUID() {
    return randomUUID();
  }
}
brand(Crypto, 'Crypto');

export const crypto = new Crypto(TOKEN);
