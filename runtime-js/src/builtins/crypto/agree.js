// Key agreement: `diffieHellman` and `ECDH`.
import { curveAgree, curveGenerate, curvePoint, curvePublicKey } from 'lmthing:internal/native/crypto';
import { brand } from '../shared/brand.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { bytesOf, checkObject, checkString, encoded } from './arguments.js';
import { DerError, trimmed } from './der.js';
import { invalidValue } from './errors.js';
import { padded } from './key-formats.js';
import { KeyObject, contentOf } from './keys.js';
import { curveNamed } from './names.js';

const wrongKind = (type, expected) =>
  nodeError(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${type}, expected ${expected}.`);

export function diffieHellman(options) {
  checkObject(options, 'options');
  const { privateKey, publicKey } = options;
  if (!(privateKey instanceof KeyObject)) throw invalidValue('options.privateKey', privateKey);
  if (!(publicKey instanceof KeyObject)) throw invalidValue('options.publicKey', publicKey);
  if (privateKey.type !== 'private') throw wrongKind(privateKey.type, 'private');
  if (publicKey.type === 'secret') throw wrongKind(publicKey.type, 'private or public');
  const [own, theirs] = [contentOf(privateKey), contentOf(publicKey)];
  if (own.type !== theirs.type || (own.type !== 'ec' && own.type !== 'x25519')) {
    throw nodeError(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY', `Incompatible key types for Diffie-Hellman: ${own.type} and ${theirs.type}`);
  }
  const web = own.type === 'ec' ? own.curve.web : 'X25519';
  const secret = own.curve === theirs.curve ? curveAgree(web, own.d, theirs.point) : undefined;
  if (!secret) throw nodeError(Error, 'ERR_OSSL_EVP_DIFFERENT_PARAMETERS', 'error:03000099:digital envelope routines::different parameters');
  return encoded(secret);
}

function curveOf(name) {
  checkString(name, 'curve');
  const curve = curveNamed(name);
  if (!curve) throw nodeError(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
  return curve;
}

/** A point, compressed, uncompressed or hybrid. */
function formatted(curve, point, format) {
  if (format !== undefined && !['compressed', 'uncompressed', 'hybrid'].includes(format)) {
    throw nodeError(TypeError, 'ERR_CRYPTO_ECDH_INVALID_FORMAT', `Invalid ECDH format: ${format}`);
  }
  const bytes = curvePoint(curve.web, point, format === 'compressed');
  if (format === 'hybrid') bytes[0] = 6 + (bytes[bytes.length - 1] & 1);
  return bytes;
}

/** Checks the other party's public key. */
function pointOf(curve, key, encoding, name) {
  const bytes = bytesOf(key, name, encoding).slice();
  if (bytes[0] === 6 || bytes[0] === 7) bytes[0] = 4;
  return curvePoint(curve.web, bytes, false);
}

export class ECDH {
  #curve;
  #d;
  #point;

  constructor(curve) {
    this.#curve = curveOf(curve);
  }

  static convertKey(key, curve, inputEncoding, outputEncoding, format) {
    const known = curveOf(curve);
    const point = pointOf(known, key, inputEncoding, 'key');
    if (!point) throw nodeError(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to convert Buffer to EC_POINT');
    return encoded(formatted(known, point, format), outputEncoding);
  }

  generateKeys(encoding = undefined, format = undefined) {
    this.#d = curveGenerate(this.#curve.web);
    this.#point = curvePublicKey(this.#curve.web, this.#d);
    return this.getPublicKey(encoding, format);
  }

  computeSecret(otherPublicKey, inputEncoding = undefined, outputEncoding = undefined) {
    const point = pointOf(this.#curve, otherPublicKey, inputEncoding, 'otherPublicKey');
    if (!point) throw nodeError(Error, 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY', 'Public key is not valid for specified curve');
    if (!this.#d) throw nodeError(Error, 'ERR_CRYPTO_INVALID_KEYPAIR', 'Invalid key pair');
    return encoded(curveAgree(this.#curve.web, this.#d, point), outputEncoding);
  }

  getPublicKey(encoding = undefined, format = undefined) {
    if (!this.#point) throw nodeError(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to get ECDH public key');
    return encoded(formatted(this.#curve, this.#point, format), encoding);
  }

  getPrivateKey(encoding = undefined) {
    if (!this.#d) throw nodeError(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to get ECDH private key');
    return encoded(trimmed(this.#d), encoding);
  }

  setPrivateKey(key, encoding = undefined) {
    const bytes = bytesOf(key, 'key', encoding);
    const d = bytes.length ? numberOf(bytes, this.#curve.size) : undefined;
    const point = d && curvePublicKey(this.#curve.web, d);
    if (!point) throw nodeError(RangeError, 'ERR_CRYPTO_INVALID_KEYTYPE', 'Private key is not valid for specified curve.');
    this.#d = d;
    this.#point = point;
    return this;
  }

  setPublicKey(key, encoding = undefined) {
    const point = pointOf(this.#curve, key, encoding, 'key');
    if (!point) throw nodeError(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to convert Buffer to EC_POINT');
    this.#point = point;
    return this;
  }
}
brand(ECDH, 'ECDH', false);

function numberOf(bytes, size) {
  try {
    return padded(bytes, size);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

export const createECDH = (curve) => {
  if (typeof curve !== 'string') throw invalidArgumentType('curve', 'of type string', curve);
  return new ECDH(curve);
};
