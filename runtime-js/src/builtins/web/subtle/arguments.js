// Argument checks of `crypto.subtle`: algorithms, keys and data, with Node's errors.
import { asBytes } from '../../shared/bytes.js';
import { nodeError } from '../../shared/errors.js';
import { CryptoKey } from 'lmthing:internal/web/crypto';

export const failure = (message, name = 'OperationError', cause = undefined) => {
  const error = new DOMException(message, name);
  if (cause) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true });
  return error;
};

/** Turns any failure of `work` into an `OperationError` without details. */
export function operation(work) {
  try {
    return work();
  } catch (cause) {
    throw failure('The operation failed for an operation-specific reason', 'OperationError', cause);
  }
}

const HASHES = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
const NAMES = ['AES-CBC', 'AES-CTR', 'AES-GCM', 'AES-KW', 'HMAC', 'RSASSA-PKCS1-v1_5', 'RSA-PSS', 'RSA-OAEP', 'ECDSA', 'ECDH', 'Ed25519', 'X25519', 'PBKDF2', 'HKDF'];
const byUpperCase = new Map([...NAMES, ...HASHES].map((name) => [name.toUpperCase(), name]));

const unrecognized = () => failure('Unrecognized algorithm name', 'NotSupportedError');

/** The dictionary of each algorithm and operation, and its required members. */
const PARAMETERS = {
  encrypt: { 'AES-GCM': ['AesGcmParams', 'iv'], 'AES-CBC': ['AesCbcParams', 'iv'], 'AES-CTR': ['AesCtrParams', 'counter', 'length'], 'RSA-OAEP': ['RsaOaepParams'] },
  sign: { HMAC: [], 'RSASSA-PKCS1-v1_5': [], 'RSA-PSS': ['RsaPssParams', 'saltLength'], ECDSA: ['EcdsaParams', 'hash'], Ed25519: [] },
  generateKey: {
    'AES-CBC': ['AesKeyGenParams', 'length'],
    'AES-CTR': ['AesKeyGenParams', 'length'],
    'AES-GCM': ['AesKeyGenParams', 'length'],
    'AES-KW': ['AesKeyGenParams', 'length'],
    HMAC: ['HmacKeyGenParams', 'hash'],
    'RSASSA-PKCS1-v1_5': ['RsaHashedKeyGenParams', 'hash', 'modulusLength', 'publicExponent'],
    'RSA-PSS': ['RsaHashedKeyGenParams', 'hash', 'modulusLength', 'publicExponent'],
    'RSA-OAEP': ['RsaHashedKeyGenParams', 'hash', 'modulusLength', 'publicExponent'],
    ECDSA: ['EcKeyGenParams', 'namedCurve'],
    ECDH: ['EcKeyGenParams', 'namedCurve'],
    Ed25519: [],
    X25519: [],
  },
  importKey: {
    'AES-CBC': [],
    'AES-CTR': [],
    'AES-GCM': [],
    'AES-KW': [],
    HMAC: ['HmacImportParams', 'hash'],
    'RSASSA-PKCS1-v1_5': ['RsaHashedImportParams', 'hash'],
    'RSA-PSS': ['RsaHashedImportParams', 'hash'],
    'RSA-OAEP': ['RsaHashedImportParams', 'hash'],
    ECDSA: ['EcKeyImportParams', 'namedCurve'],
    ECDH: ['EcKeyImportParams', 'namedCurve'],
    Ed25519: [],
    X25519: [],
    PBKDF2: [],
    HKDF: [],
  },
  deriveBits: {
    HKDF: ['HkdfParams', 'hash', 'info', 'salt'],
    PBKDF2: ['Pbkdf2Params', 'hash', 'iterations', 'salt'],
    ECDH: ['EcdhKeyDeriveParams', 'public'],
    X25519: ['EcdhKeyDeriveParams', 'public'],
  },
  wrapKey: { 'AES-KW': [] },
  'get key length': {
    'AES-CBC': ['AesDerivedKeyParams', 'length'],
    'AES-CTR': ['AesDerivedKeyParams', 'length'],
    'AES-GCM': ['AesDerivedKeyParams', 'length'],
    'AES-KW': ['AesDerivedKeyParams', 'length'],
    HMAC: ['HmacImportParams', 'hash'],
    HKDF: [],
    PBKDF2: [],
  },
};

export function hashOf(hash) {
  const name = byUpperCase.get(String(hash !== null && typeof hash === 'object' ? hash.name : hash).toUpperCase());
  if (!HASHES.includes(name)) throw unrecognized();
  return { name };
}

/** The algorithm with its canonical name; `undefined` if the operation does not support it. */
export function tryNormalize(algorithm, operation) {
  const given = typeof algorithm === 'string' ? { name: algorithm } : algorithm;
  if (given === null || typeof given !== 'object') throw nodeError(TypeError, 'ERR_MISSING_OPTION', "Failed to normalize algorithm: passed algorithm can not be converted to 'Algorithm' because 'name' is required in 'Algorithm'.");
  const name = byUpperCase.get(String(given.name).toUpperCase());
  const parameters = name && PARAMETERS[operation][name];
  if (!parameters) return undefined;
  const [dictionary, ...required] = parameters;
  for (const key of required) {
    if (given[key] !== undefined) continue;
    const message = `Failed to normalize algorithm: passed algorithm can not be converted to '${dictionary}' because '${key}' is required in '${dictionary}'.`;
    throw nodeError(TypeError, 'ERR_MISSING_OPTION', message);
  }
  const normal = { ...given, name };
  if (given.hash !== undefined) normal.hash = hashOf(given.hash);
  return normal;
}

export function normalize(algorithm, operation) {
  const normal = tryNormalize(algorithm, operation);
  if (!normal) throw unrecognized();
  return normal;
}

const ORDINALS = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th'];
const invalid = (method, index, what, code = 'ERR_INVALID_ARG_TYPE') =>
  nodeError(TypeError, code, `Failed to execute '${method}' on 'SubtleCrypto': ${ORDINALS[index]} argument${what}`);

/** The bytes of argument number `index`. */
export function dataOf(value, method, index) {
  const bytes = asBytes(value);
  if (!bytes) throw invalid(method, index, ' is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.');
  return bytes.slice();
}

export function checkKey(value, method, index) {
  if (!(value instanceof CryptoKey)) throw invalid(method, index, ' is not of type CryptoKey.');
}

export function checkDictionary(value, method, index) {
  if (value === null || typeof value !== 'object') throw invalid(method, index, ' can not be converted to a dictionary');
}

export function checkFormat(value, method, index) {
  if (['raw', 'pkcs8', 'spki', 'jwk'].includes(value)) return;
  throw invalid(method, index, ` value '${value}' is not a valid enum value of type KeyFormat.`, 'ERR_INVALID_ARG_VALUE');
}

export const USAGES = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];

export function usagesOf(value, method, index) {
  const usages = [...value].map(String);
  usages.forEach((usage, place) => {
    if (USAGES.includes(usage)) return;
    throw invalid(method, index, `, index ${place} value '${usage}' is not a valid enum value of type KeyUsage.`, 'ERR_INVALID_ARG_VALUE');
  });
  return usages;
}

/** The hash name of Node's one-shot functions. */
export const nodeHash = ({ name }) => name.toLowerCase().replace('-', '');

/** A view's bytes as an `ArrayBuffer`. */
export const ownBuffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

/** Promisifies a Node function (`util.promisify` would load all of `node:util`). */
export const later = (work, ...given) =>
  new Promise((resolve, reject) => {
    work(...given, (error, value) => (error ? reject(error) : resolve(value)));
  });
