// The global `crypto`: random values and digests. Operations with keys are in `lmthing:internal/web/subtle`, loaded on
// demand.
import { randomBytes } from 'lmthing:internal/native/crypto';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { asBytes } from '../shared/bytes.js';
import { digest } from '../shared/hashes.js';
import { nodeError } from '../shared/errors.js';
import { brand } from '../shared/brand.js';

const DIGESTS = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const TOKEN = Symbol('internal');
const inspect = Symbol.for('nodejs.util.inspect.custom');

function checkToken(token) {
  if (token !== TOKEN) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
}

const keyObjects = new WeakMap();

export class CryptoKey {
  #keyObject;
  #algorithm;
  #usages;
  #extractable;

  constructor(token, keyObject, algorithm, usages, extractable) {
    checkToken(token);
    this.#keyObject = keyObject;
    this.#algorithm = algorithm;
    this.#usages = usages;
    this.#extractable = extractable;
    keyObjects.set(this, keyObject);
  }

  get type() {
    return this.#keyObject.type;
  }

  get extractable() {
    return this.#extractable;
  }

  get algorithm() {
    return this.#algorithm;
  }

  get usages() {
    return this.#usages;
  }

  [inspect](depth, options, show) {
    const { type, extractable, algorithm, usages } = this;
    return `CryptoKey ${show({ type, extractable, algorithm, usages }, { ...options, depth: options.depth === null ? null : options.depth - 1 })}`;
  }
}
brand(CryptoKey, 'CryptoKey');

/** Undefined for values that are no `CryptoKey`. */
export const keyObjectOf = (key) => (key !== null && typeof key === 'object' ? keyObjects.get(key) : undefined);

export const makeCryptoKey = (keyObject, algorithm, usages, extractable) =>
  new CryptoKey(TOKEN, keyObject, algorithm, usages, extractable);

function checkCall(target, name, expected, given) {
  if (!(target instanceof SubtleCrypto)) {
    throw nodeError(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type SubtleCrypto');
  }
  if (given >= expected) return;
  const message = `Failed to execute '${name}' on 'SubtleCrypto': ${expected} arguments required, but only ${given} present.`;
  throw nodeError(TypeError, 'ERR_MISSING_ARGS', message);
}

export class SubtleCrypto {
  constructor(token) {
    checkToken(token);
  }

  async digest(algorithm, data) {
    checkCall(this, 'digest', 2, arguments.length);
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
/** The methods that use keys, with their minimal numbers of arguments. */
const KEY_METHODS = { encrypt: 3, decrypt: 3, sign: 3, verify: 4, generateKey: 3, deriveKey: 5, deriveBits: 2, importKey: 4, exportKey: 2, wrapKey: 4, unwrapKey: 7 };
for (const [name, count] of Object.entries(KEY_METHODS)) {
  const method = async function (...given) {
    checkCall(this, name, count, given.length);
    return importBuiltin('lmthing:internal/web/subtle')[name](...given);
  };
  Object.defineProperty(method, 'name', { value: name, configurable: true });
  Object.defineProperty(SubtleCrypto.prototype, name, { value: method, writable: true, configurable: true, enumerable: true });
}
brand(SubtleCrypto, 'SubtleCrypto');

const MAX_RANDOM_BYTES = 65536;
const isIntegerArray = (value) =>
  ArrayBuffer.isView(value) && !/^Float|^DataView|^undefined/.test(String(value[Symbol.toStringTag]));

/** A version 4 UUID. */
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
// As in Node, where programs reach the class this way.
Object.defineProperty(Crypto.prototype, 'CryptoKey', { value: CryptoKey, writable: true, configurable: true });

export const crypto = new Crypto(TOKEN);
