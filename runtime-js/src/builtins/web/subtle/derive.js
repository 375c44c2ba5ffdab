// `deriveBits`, and lengths of derived keys.
import { diffieHellman, hkdf, pbkdf2 } from 'node:crypto';
import { CryptoKey, keyObjectOf } from 'lmthing:internal/web/crypto';
import { asBytes } from '../../shared/bytes.js';
import { nodeError } from '../../shared/errors.js';
import { failure, later, nodeHash, ownBuffer } from './arguments.js';

const BLOCK_BITS = { 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 };

function bytesOf(algorithm, name) {
  const bytes = asBytes(algorithm[name]);
  if (!bytes) throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `Failed to normalize algorithm: algorithm.${name} is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  return bytes;
}

function checkLength(length) {
  if (length === null || length === undefined) throw failure('length cannot be null');
  if (length % 8 !== 0) throw failure('length must be a multiple of 8');
  return length / 8;
}

async function byPassword(algorithm, key, length) {
  const { iterations } = algorithm;
  const salt = bytesOf(algorithm, 'salt');
  if (iterations === 0) throw failure('iterations cannot be zero');
  const size = checkLength(length);
  return ownBuffer(asBytes(await later(pbkdf2, keyObjectOf(key).export(), salt, iterations, size, nodeHash(algorithm.hash))));
}

async function byExpansion(algorithm, key, length) {
  const [salt, info] = [bytesOf(algorithm, 'salt'), bytesOf(algorithm, 'info')];
  const size = checkLength(length);
  return later(hkdf, nodeHash(algorithm.hash), keyObjectOf(key), salt, info, size);
}

function byAgreement(algorithm, key, length) {
  const other = algorithm.public;
  if (!(other instanceof CryptoKey)) throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'Failed to normalize algorithm: algorithm.public is not of type CryptoKey.');
  if (other.type !== 'public') throw failure('algorithm.public must be a public key', 'InvalidAccessError');
  if (key.type !== 'private') throw failure('baseKey must be a private key', 'InvalidAccessError');
  if (other.algorithm.name !== key.algorithm.name) throw failure(`algorithm.public must be an ${algorithm.name} key`, 'InvalidAccessError');
  if (other.algorithm.namedCurve !== key.algorithm.namedCurve) throw failure('Named curve mismatch', 'InvalidAccessError');
  const secret = asBytes(diffieHellman({ privateKey: keyObjectOf(key), publicKey: keyObjectOf(other) }));
  if (length === null || length === undefined) return ownBuffer(secret);
  const size = Math.ceil(length / 8);
  if (size > secret.length) throw failure('derived bit length is too small');
  const bits = secret.slice(0, size);
  // Clears the bits of the last byte that were not requested.
  if (length % 8 !== 0) bits[size - 1] &= 0xff << (8 - (length % 8));
  return ownBuffer(bits);
}

const DERIVATIONS = { PBKDF2: byPassword, HKDF: byExpansion, ECDH: byAgreement, X25519: byAgreement };

export async function derive(algorithm, key, length, usages) {
  if (!usages.some((usage) => key.usages.includes(usage))) {
    throw failure(`baseKey does not have ${usages[0]} usage`, 'InvalidAccessError');
  }
  if (key.algorithm.name !== algorithm.name) throw failure('Key algorithm mismatch', 'InvalidAccessError');
  return DERIVATIONS[algorithm.name](algorithm, key, length);
}

/** The key length of an algorithm in bits; undefined if it takes all bits. */
export function lengthFor({ name, length, hash }) {
  if (name === 'HKDF' || name === 'PBKDF2') return null;
  if (name === 'HMAC') {
    if (length === 0) throw failure('Invalid key length');
    return length ?? BLOCK_BITS[hash.name];
  }
  if (![128, 192, 256].includes(length)) throw failure('Invalid key length');
  return length;
}
