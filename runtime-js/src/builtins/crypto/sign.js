import { createHash, curveSign, curveVerify, ed25519Sign, ed25519Verify } from 'lmthing:internal/native/crypto';
import { brand } from '../shared/brand.js';
import { concatenate } from '../shared/bytes.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { answerLater, bytesOf, checkFunction, checkString, dataOf, encoded } from './arguments.js';
import { DerError, Reader, integer, sequence } from './der.js';
import { invalidDigest, invalidValue, opensslError } from './errors.js';
import { padded } from './key-formats.js';
import { contentOf, optionsOf, privateKeyOf, publicKeyOf, rsaKeyOf } from './keys.js';
import { LazyTransform } from './lazy-transform.js';
import { EXTENDABLE, hashName } from './names.js';
import { signaturePadding } from './rsa-padding.js';

function digestOf(hash, bytes) {
  const native = createHash(hash);
  native.update(bytes);
  return native.digest(EXTENDABLE[hash]);
}

/** Converts `r` and `s` concatenated to DER. */
function toDer(signature) {
  const half = signature.length / 2;
  return sequence(integer(signature.subarray(0, half)), integer(signature.subarray(half)));
}

/** The inverse of `toDer`; `undefined` for malformed input. */
function fromDer(signature, size) {
  try {
    const reader = new Reader(signature).within();
    return concatenate([padded(reader.integer(), size), padded(reader.integer(), size)]);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function checkOptions(options) {
  const { padding, saltLength, dsaEncoding } = options;
  if (padding !== undefined && (!Number.isInteger(padding) || padding < 0)) throw invalidValue('options.padding', padding);
  if (saltLength !== undefined && !Number.isInteger(saltLength)) throw invalidValue('options.saltLength', saltLength);
  if (dsaEncoding !== undefined && dsaEncoding !== 'der' && dsaEncoding !== 'ieee-p1363') throw invalidValue('options.dsaEncoding', dsaEncoding);
}

const notForSigning = () => opensslError('EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE');

function signDigest(key, hash, digest, options) {
  const content = contentOf(key);
  if (content.type === 'rsa') {
    const padding = signaturePadding(hash, digest, key.asymmetricKeyDetails.modulusLength, options, true);
    const signature = rsaKeyOf(key).sign(padding, digest);
    if (!signature) throw opensslError('RSA_DATA_TOO_LARGE_FOR_KEY_SIZE');
    return signature;
  }
  if (content.type !== 'ec') throw notForSigning();
  const signature = curveSign(content.curve.web, content.d, digest);
  return options.dsaEncoding === 'ieee-p1363' ? signature : toDer(signature);
}

function verifyDigest(key, hash, digest, signature, options) {
  const content = contentOf(key);
  if (content.type === 'rsa') {
    const padding = signaturePadding(hash, digest, key.asymmetricKeyDetails.modulusLength, options, false);
    return rsaKeyOf(key).verify(padding, digest, signature);
  }
  if (content.type !== 'ec') throw notForSigning();
  const plain = options.dsaEncoding === 'ieee-p1363' ? signature : fromDer(signature, content.curve.size);
  return plain !== undefined && curveVerify(content.curve.web, content.point, digest, plain);
}

/** Streaming signatures and verification. */
class Signing extends LazyTransform {
  #hash;
  #native;

  constructor(algorithm, options) {
    super();
    checkString(algorithm, 'algorithm');
    this.#hash = hashName(algorithm);
    if (!this.#hash) throw nodeError(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', 'Invalid digest');
    this.#native = createHash(this.#hash);
    this._options = options;
  }

  update(data, encoding = undefined) {
    this.#native.update(dataOf(data, encoding));
    return this;
  }

  /** Returns the digest, once. */
  _finish() {
    if (!this.#native) throw nodeError(Error, 'ERR_CRYPTO_INVALID_STATE', 'Not initialised');
    const digest = this.#native.digest(EXTENDABLE[this.#hash]);
    this.#native = undefined;
    return [this.#hash, digest];
  }

  _write(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  }

  _transform(chunk, encoding, callback) {
    this._write(chunk, encoding, callback);
  }
}

function refuseEdwards(key) {
  const { type } = contentOf(key);
  if (type === 'ed25519' || type === 'x25519') throw nodeError(Error, 'ERR_CRYPTO_UNSUPPORTED_OPERATION', 'Unsupported crypto operation');
}

export class Sign extends Signing {
  sign(key, outputEncoding = undefined) {
    if (!key) throw nodeError(Error, 'ERR_CRYPTO_SIGN_KEY_REQUIRED', 'No key provided to sign');
    const options = optionsOf(key);
    const object = privateKeyOf(key);
    checkOptions(options);
    refuseEdwards(object);
    return encoded(signDigest(object, ...this._finish(), options), outputEncoding);
  }
}
brand(Sign, 'Sign', false);

export class Verify extends Signing {
  verify(key, signature, encoding = undefined) {
    const options = optionsOf(key);
    const object = publicKeyOf(key);
    checkOptions(options);
    refuseEdwards(object);
    const bytes = bytesOf(signature, 'signature', encoding);
    return verifyDigest(object, ...this._finish(), bytes, options);
  }
}
brand(Verify, 'Verify', false);

export const createSign = (algorithm, options) => new Sign(algorithm, options);
export const createVerify = (algorithm, options) => new Verify(algorithm, options);

/** The hash of a one-shot signature; undefined for keys with a built-in hash. */
function hashFor(algorithm, key) {
  const isEdwards = contentOf(key).type === 'ed25519';
  if (algorithm === null || algorithm === undefined) return isEdwards ? undefined : 'sha256';
  const hash = hashName(algorithm);
  if (!hash) throw invalidDigest(algorithm);
  if (isEdwards) throw opensslError('INVALID_DIGEST');
  return hash;
}

function checkAlgorithm(algorithm) {
  if (algorithm !== null && algorithm !== undefined) checkString(algorithm, 'algorithm');
}

export function sign(algorithm, data, key, callback = undefined) {
  checkAlgorithm(algorithm);
  if (callback !== undefined) checkFunction(callback);
  const bytes = bytesOf(data, 'data');
  if (!key) throw nodeError(Error, 'ERR_CRYPTO_SIGN_KEY_REQUIRED', 'No key provided to sign');
  const [object, options] = [privateKeyOf(key), optionsOf(key)];
  checkOptions(options);
  const make = () => {
    const hash = hashFor(algorithm, object);
    return encoded(hash ? signDigest(object, hash, digestOf(hash, bytes), options) : ed25519Sign(contentOf(object).d, bytes));
  };
  return callback ? answerLater(make, callback) : make();
}

export function verify(algorithm, data, key, signature, callback = undefined) {
  checkAlgorithm(algorithm);
  if (callback !== undefined) checkFunction(callback);
  const [bytes, given] = [bytesOf(data, 'data'), signatureOf(signature)];
  const [object, options] = [publicKeyOf(key), optionsOf(key)];
  checkOptions(options);
  const make = () => {
    const hash = hashFor(algorithm, object);
    if (!hash) return ed25519Verify(contentOf(object).point, bytes, given);
    return verifyDigest(object, hash, digestOf(hash, bytes), given, options);
  };
  return callback ? answerLater(make, callback) : make();
}

function signatureOf(signature) {
  const expected = 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView';
  if (typeof signature === 'string') throw invalidArgumentType('signature', expected, signature);
  return bytesOf(signature, 'signature', undefined, expected);
}
