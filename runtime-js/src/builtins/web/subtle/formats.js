// Import and export of keys as bytes and JSON web keys.
import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto';
import { keyObjectOf, makeCryptoKey } from 'lmthing:internal/web/crypto';
import { asBytes } from '../../shared/bytes.js';
import { checkDictionary, dataOf, failure, ownBuffer } from './arguments.js';
import { checkUsages } from './key-kinds.js';

const dataError = (message, cause = undefined) => failure(message, 'DataError', cause);
const AES_SIZES = [16, 24, 32];
const JWK_CURVES = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };
const POINT_SIZES = { 'P-256': 32, 'P-384': 48, 'P-521': 66 };

/** The JWK name of an algorithm; `undefined` for those without one. */
export function webAlgorithm({ name, length, hash }) {
  const bits = hash?.name.slice(4);
  if (name.startsWith('AES-')) return `A${length}${name.slice(4)}`;
  if (name === 'HMAC') return `HS${bits}`;
  if (name === 'RSASSA-PKCS1-v1_5') return `RS${bits}`;
  if (name === 'RSA-PSS') return `PS${bits}`;
  if (name === 'RSA-OAEP') return bits === '1' ? 'RSA-OAEP' : `RSA-OAEP-${bits}`;
  return name === 'Ed25519' ? 'Ed25519' : undefined;
}

const KEY_TYPES = { ECDSA: 'EC', ECDH: 'EC', Ed25519: 'OKP', X25519: 'OKP' };
const keyTypeOf = (name) => KEY_TYPES[name] ?? (name.startsWith('RSA') ? 'RSA' : 'oct');

/** Throws for a JSON web key made for another purpose. */
function checkWebKey(web, name, extractable, usages) {
  const wrong = (what) => dataError(`Invalid JWK "${what}" Parameter`);
  if (web.kty !== keyTypeOf(name)) throw wrong('kty');
  const use = ['ECDH', 'X25519', 'RSA-OAEP'].includes(name) || name.startsWith('AES') ? 'enc' : 'sig';
  if (usages.length > 0 && web.use !== undefined && web.use !== use) throw wrong('use');
  if (web.key_ops !== undefined && usages.some((usage) => !web.key_ops.includes(usage))) {
    throw dataError('Key operations and usage mismatch');
  }
  if (web.ext === false && extractable) throw dataError('JWK "ext" Parameter and extractable mismatch');
}

function checkWebAlgorithm(web, algorithm) {
  const expected = webAlgorithm(algorithm);
  if (web.alg === undefined || expected === undefined || web.alg === expected) return;
  if (expected === 'Ed25519' && web.alg === 'EdDSA') return;
  throw dataError('JWK "alg" does not match the requested algorithm');
}

function secretOf(format, data, algorithm, extractable, usages) {
  if (format === 'jwk') {
    checkWebKey(data, algorithm.name, extractable, usages);
    if (typeof data.k !== 'string') throw dataError('Invalid keyData');
    return createSecretKey(data.k, 'base64url');
  }
  if (format !== 'raw') throw failure(`Unable to import ${algorithm.name} key with format ${format}`, 'NotSupportedError');
  return createSecretKey(data);
}

function importSecret(format, data, algorithm, extractable, usages) {
  const { name, hash } = algorithm;
  if (name === 'PBKDF2' || name === 'HKDF') {
    if (extractable) throw failure(`${name} keys are not extractable`, 'SyntaxError');
    checkUsages(name, 'secret', usages);
    return makeCryptoKey(secretOf(format, data, algorithm, extractable, usages), { name }, usages, false);
  }
  checkUsages(name, 'secret', usages);
  const key = secretOf(format, data, algorithm, extractable, usages);
  const length = key.symmetricKeySize * 8;
  if (name === 'HMAC' && length === 0) throw dataError('Zero-length key is not supported');
  if (name === 'HMAC' && algorithm.length !== undefined && algorithm.length !== length) throw dataError('Invalid key length');
  if (name !== 'HMAC' && !AES_SIZES.includes(key.symmetricKeySize)) throw dataError('Invalid key length');
  const full = name === 'HMAC' ? { name, hash, length } : { name, length };
  if (format === 'jwk') checkWebAlgorithm(data, full);
  return makeCryptoKey(key, full, usages, extractable);
}

/** A raw point as a JSON web key. */
function webPoint(bytes, { name, namedCurve }) {
  if (!namedCurve) return { kty: 'OKP', crv: name, x: base64url(bytes) };
  const size = POINT_SIZES[namedCurve];
  if (bytes.length !== 2 * size + 1 || bytes[0] !== 4) throw dataError('Invalid keyData');
  return { kty: 'EC', crv: namedCurve, x: base64url(bytes.subarray(1, 1 + size)), y: base64url(bytes.subarray(1 + size)) };
}

const base64url = (bytes) => bytes.toBase64({ alphabet: 'base64url', omitPadding: true });

function pairKeyOf(format, data, algorithm, extractable, usages) {
  const { name } = algorithm;
  try {
    if (format === 'spki') return createPublicKey({ key: data, format: 'der', type: 'spki' });
    if (format === 'pkcs8') return createPrivateKey({ key: data, format: 'der', type: 'pkcs8' });
    if (format === 'jwk') return (data.d === undefined ? createPublicKey : createPrivateKey)({ key: data, format: 'jwk' });
  } catch (cause) {
    throw dataError('Invalid keyData', cause);
  }
  if (name.startsWith('RSA')) throw failure(`Unable to import ${name} key with format ${format}`, 'NotSupportedError');
  try {
    return createPublicKey({ key: webPoint(data, algorithm), format: 'jwk' });
  } catch (cause) {
    throw dataError('Invalid keyData', cause);
  }
}

const NODE_TYPES = { ECDSA: 'ec', ECDH: 'ec', Ed25519: 'ed25519', X25519: 'x25519' };

/** Completes the algorithm from the key, and checks that they match. */
export function fullAlgorithm(key, { name, hash, namedCurve }) {
  const details = key.asymmetricKeyDetails;
  if (key.asymmetricKeyType !== (NODE_TYPES[name] ?? 'rsa')) throw dataError('Invalid key type');
  if (namedCurve) {
    if (!JWK_CURVES[namedCurve]) throw failure('Unrecognized namedCurve', 'NotSupportedError');
    if (details.namedCurve !== JWK_CURVES[namedCurve]) throw dataError('Named curve mismatch');
    return { name, namedCurve };
  }
  if (!hash) return { name };
  const exponent = details.publicExponent.toString(16);
  const publicExponent = Uint8Array.fromHex(exponent.length % 2 ? `0${exponent}` : exponent);
  return { name, modulusLength: details.modulusLength, publicExponent, hash };
}

function importPairKey(format, data, algorithm, extractable, usages) {
  if (format === 'jwk') {
    checkWebKey(data, algorithm.name, extractable, usages);
    checkWebAlgorithm(data, algorithm);
  }
  if (algorithm.namedCurve && !JWK_CURVES[algorithm.namedCurve]) throw failure('Unrecognized namedCurve', 'NotSupportedError');
  const type = format === 'pkcs8' || (format === 'jwk' && data.d !== undefined) ? 'private' : 'public';
  checkUsages(algorithm.name, type, usages);
  const key = pairKeyOf(format, data, algorithm, extractable, usages);
  return makeCryptoKey(key, fullAlgorithm(key, algorithm), usages, extractable);
}

/** `importKey` after the checks that do not depend on the algorithm. */
export function importKeyData(format, keyData, algorithm, extractable, usages, method = 'importKey') {
  const isWeb = format === 'jwk';
  if (isWeb) checkDictionary(keyData, method, 1);
  const data = isWeb ? keyData : dataOf(keyData, method, 1);
  const isPair = keyTypeOf(algorithm.name) !== 'oct';
  const key = (isPair ? importPairKey : importSecret)(format, data, algorithm, Boolean(extractable), usages);
  if (key.type !== 'public' && usages.length === 0) {
    throw failure(`Usages cannot be empty when importing a ${key.type} key.`, 'SyntaxError');
  }
  return key;
}

const cannotExport = (key, what) => failure(`Unable to export a ${what} ${key.algorithm.name} ${key.type} key`, 'InvalidAccessError');

function exportRaw(key, object) {
  if (key.type === 'secret') return object.export();
  const { name } = key.algorithm;
  if (key.type !== 'public' || name.startsWith('RSA')) throw cannotExport(key, 'raw');
  const { x, y } = object.export({ format: 'jwk' });
  const parts = [x, ...(y === undefined ? [] : [y])].map((part) => Uint8Array.fromBase64(part, { alphabet: 'base64url' }));
  if (parts.length === 1) return parts[0];
  return new Uint8Array([4, ...parts[0], ...parts[1]]);
}

/** A key in a format, as an `ArrayBuffer` or a JSON web key. */
export function exportKeyData(format, key) {
  const object = keyObjectOf(key);
  if (!key.extractable) throw failure('key is not extractable', 'InvalidAccessException');
  if (format === 'jwk') {
    const web = { key_ops: [...key.usages], ext: key.extractable, ...object.export({ format: 'jwk' }) };
    const alg = webAlgorithm(key.algorithm);
    return alg === undefined ? web : { ...web, alg };
  }
  if (format === 'raw') return ownBuffer(asBytes(exportRaw(key, object)));
  const type = format === 'spki' ? 'public' : 'private';
  if (key.type === 'secret') throw cannotExport(key, 'raw');
  if (key.type !== type) throw cannotExport(key, format);
  return ownBuffer(asBytes(object.export({ format: 'der', type: format })));
}

