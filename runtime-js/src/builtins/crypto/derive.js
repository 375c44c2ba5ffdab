import { createHash, hkdf as nativeHkdf, hkdfAsync, pbkdf2 as nativePbkdf2, pbkdf2Async, scrypt as nativeScrypt, scryptAsync } from 'lmthing:internal/native/crypto';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';
import { answerLater, bytesOf, checkFunction, checkInteger, checkString, encoded } from './arguments.js';
import { invalidDigest } from './errors.js';
import { KeyObject, createSecretKey, secretBytes } from './keys.js';
import { EXTENDABLE, hashName } from './names.js';

const MAX_INT = 2 ** 31 - 1;

function keyedHash(name) {
  checkString(name, 'digest');
  const native = hashName(name);
  if (!native || EXTENDABLE[native]) throw invalidDigest(name);
  return native;
}

function pbkdf2Arguments(password, salt, iterations, length, digest) {
  checkString(digest, 'digest');
  const [passwordBytes, saltBytes] = [bytesOf(password, 'password', 'utf8'), bytesOf(salt, 'salt', 'utf8')];
  checkInteger(iterations, 'iterations', 1, MAX_INT);
  checkInteger(length, 'keylen', 0, MAX_INT);
  return [keyedHash(digest), passwordBytes, saltBytes, iterations, length];
}

export const pbkdf2Sync = (...given) => encoded(nativePbkdf2(pbkdf2Arguments(...given)));

export function pbkdf2(password, salt, iterations, length, digest, callback) {
  if (typeof digest === 'function') [digest, callback] = [undefined, digest];
  const prepared = pbkdf2Arguments(password, salt, iterations, length, digest);
  checkFunction(callback);
  answerLater(async () => encoded(await pbkdf2Async(prepared)), callback);
}

const SCRYPT_NAMES = { N: 'cost', r: 'blockSize', p: 'parallelization' };
const SCRYPT_DEFAULTS = { N: 16384, r: 8, p: 1 };

function scryptOption(options, name) {
  const long = SCRYPT_NAMES[name];
  if (options[name] !== undefined && options[long] !== undefined) {
    throw nodeError(Error, 'ERR_CRYPTO_SCRYPT_INVALID_PARAMETER', 'Invalid scrypt parameter');
  }
  const used = options[name] === undefined ? long : name;
  const value = options[used];
  if (value !== undefined) checkInteger(value, used, 0, 2 ** 32 - 1);
  return value || SCRYPT_DEFAULTS[name];
}

const invalidScrypt = (reason = '') => nodeError(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', `Invalid scrypt params${reason}`);

function scryptArguments(password, salt, length, options = {}) {
  const [passwordBytes, saltBytes] = [bytesOf(password, 'password', 'utf8'), bytesOf(salt, 'salt', 'utf8')];
  checkInteger(length, 'keylen', 0, MAX_INT);
  const [N, r, p] = ['N', 'r', 'p'].map((name) => scryptOption(options ?? {}, name));
  const memory = options?.maxmem || 32 * 1024 * 1024;
  if (N < 2 || 2 ** Math.round(Math.log2(N)) !== N || p * r > 2 ** 30 - 1) throw invalidScrypt();
  if (128 * r * (N + p + 2) > memory) throw invalidScrypt(': error:030000AC:digital envelope routines::memory limit exceeded');
  return [passwordBytes, saltBytes, N, r, p, length];
}

export const scryptSync = (password, salt, length, options) => encoded(nativeScrypt(scryptArguments(password, salt, length, options)));

export function scrypt(password, salt, length, options, callback) {
  if (callback === undefined) [options, callback] = [undefined, options];
  const prepared = scryptArguments(password, salt, length, options);
  checkFunction(callback);
  answerLater(async () => encoded(await scryptAsync(prepared)), callback);
}

const HKDF_INPUT = 'of type string or an instance of ArrayBuffer, TypedArray, DataView, or Buffer';

function hkdfArguments(digest, key, salt, info, length) {
  checkString(digest, 'digest');
  const isKey = typeof key === 'string' || key instanceof KeyObject || asBytes(key);
  if (!isKey) throw invalidArgumentType('ikm', 'of type string or an instance of SecretKeyObject, ArrayBuffer, TypedArray, DataView, or Buffer', key);
  const keyBytes = secretBytes(key instanceof KeyObject ? key : createSecretKey(bytesOf(key, 'ikm', 'utf8')), 'ikm');
  const [saltBytes, infoBytes] = [bytesOf(salt, 'salt', 'utf8', HKDF_INPUT), bytesOf(info, 'info', 'utf8', HKDF_INPUT)];
  checkInteger(length, 'length', 0, MAX_INT);
  if (infoBytes.length > 1024) throw outOfRange('info', 'must not contain more than 1024 bytes', infoBytes.length);
  const hash = keyedHash(digest);
  if (length > 255 * createHash(hash).digest().length) throw nodeError(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
  return [hash, keyBytes, saltBytes, infoBytes, length];
}

/** `hkdf` returns an `ArrayBuffer`, the others a `Buffer`. */
const ownBuffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

export const hkdfSync = (digest, key, salt, info, length) => ownBuffer(nativeHkdf(hkdfArguments(digest, key, salt, info, length)));

export function hkdf(digest, key, salt, info, length, callback) {
  const prepared = hkdfArguments(digest, key, salt, info, length);
  checkFunction(callback);
  answerLater(async () => ownBuffer(await hkdfAsync(prepared)), callback);
}
