// Key operations of `crypto.subtle`, over `node:crypto`. `web/crypto.js` has checked the number of arguments.
import { generateKeyPair, generateKeySync } from 'node:crypto';
import { makeCryptoKey } from 'lmthing:internal/web/crypto';
import { USAGES, checkFormat, checkKey, dataOf, failure, normalize, tryNormalize, usagesOf } from './subtle/arguments.js';
import { cipher } from './subtle/cipher.js';
import { derive, lengthFor } from './subtle/derive.js';
import { exportKeyData, fullAlgorithm, importKeyData } from './subtle/formats.js';
import { checkUsages, pairUsages } from './subtle/key-kinds.js';
import { signData, verifyData } from './subtle/sign.js';

export async function encrypt(algorithm, key, data) {
  checkKey(key, 'encrypt', 1);
  const bytes = dataOf(data, 'encrypt', 2);
  return cipher('encrypt', true, normalize(algorithm, 'encrypt'), key, bytes);
}

export async function decrypt(algorithm, key, data) {
  checkKey(key, 'decrypt', 1);
  const bytes = dataOf(data, 'decrypt', 2);
  return cipher('decrypt', false, normalize(algorithm, 'encrypt'), key, bytes);
}

export async function sign(algorithm, key, data) {
  checkKey(key, 'sign', 1);
  const bytes = dataOf(data, 'sign', 2);
  return signData(normalize(algorithm, 'sign'), key, bytes);
}

export async function verify(algorithm, key, signature, data) {
  checkKey(key, 'verify', 1);
  const [given, bytes] = [dataOf(signature, 'verify', 2), dataOf(data, 'verify', 3)];
  return verifyData(normalize(algorithm, 'sign'), key, given, bytes);
}

export async function importKey(format, keyData, algorithm, extractable, keyUsages) {
  checkFormat(format, 'importKey', 0);
  const usages = usagesOf(keyUsages, 'importKey', 4);
  return importKeyData(format, keyData, normalize(algorithm, 'importKey'), extractable, usages);
}

export async function exportKey(format, key) {
  checkFormat(format, 'exportKey', 0);
  checkKey(key, 'exportKey', 1);
  return exportKeyData(format, key);
}

const EMPTY = 'Usages cannot be empty when creating a key.';

function secretKey({ name, length, hash }, extractable, usages) {
  const isAes = name !== 'HMAC';
  if (isAes && ![128, 192, 256].includes(length)) throw failure('AES key length must be 128, 192, or 256 bits');
  checkUsages(name, 'secret', usages);
  if (usages.length === 0) throw failure(EMPTY, 'SyntaxError');
  const bits = lengthFor({ name, length, hash });
  const key = generateKeySync(isAes ? 'aes' : 'hmac', { length: bits });
  const algorithm = isAes ? { name, length: bits } : { name, length: bits, hash };
  return makeCryptoKey(key, algorithm, USAGES.filter((usage) => usages.includes(usage)), extractable);
}

const CURVES = ['P-256', 'P-384', 'P-521'];

/** The arguments of `generateKeyPair` for an algorithm. */
function pairArguments({ name, modulusLength, publicExponent, namedCurve }) {
  if (name.startsWith('RSA')) {
    const exponent = [...publicExponent].reduce((sum, byte) => sum * 256 + byte, 0);
    if (exponent < 3 || exponent % 2 === 0 || exponent >= 2 ** 32) throw failure('The operation failed for an operation-specific reason');
    return ['rsa', { modulusLength, publicExponent: exponent }];
  }
  if (!namedCurve) return [name.toLowerCase()];
  if (!CURVES.includes(namedCurve)) throw failure('Unrecognized namedCurve', 'NotSupportedError');
  return ['ec', { namedCurve }];
}

async function keyPair(algorithm, extractable, usages) {
  const given = pairArguments(algorithm);
  const [ofPublic, ofPrivate] = pairUsages(algorithm.name, usages);
  const pair = await new Promise((resolve, reject) => {
    generateKeyPair(...given, (error, publicKey, privateKey) => (error ? reject(error) : resolve({ publicKey, privateKey })));
  });
  if (ofPrivate.length === 0) throw failure(EMPTY, 'SyntaxError');
  const described = fullAlgorithm(pair.publicKey, algorithm);
  return Object.assign(Object.create(null), {
    publicKey: makeCryptoKey(pair.publicKey, described, ofPublic, true),
    privateKey: makeCryptoKey(pair.privateKey, described, ofPrivate, extractable),
  });
}

export async function generateKey(algorithm, extractable, keyUsages) {
  const normal = normalize(algorithm, 'generateKey');
  const usages = usagesOf(keyUsages, 'generateKey', 2);
  const isSecret = normal.name === 'HMAC' || normal.name.startsWith('AES');
  return (isSecret ? secretKey : keyPair)(normal, Boolean(extractable), usages);
}

export async function deriveBits(algorithm, baseKey, length = null) {
  checkKey(baseKey, 'deriveBits', 1);
  return derive(normalize(algorithm, 'deriveBits'), baseKey, length, ['deriveBits']);
}

export async function deriveKey(algorithm, baseKey, derivedKeyType, extractable, keyUsages) {
  checkKey(baseKey, 'deriveKey', 1);
  const normal = normalize(algorithm, 'deriveBits');
  const derived = normalize(derivedKeyType, 'importKey');
  const length = lengthFor(normalize(derivedKeyType, 'get key length'));
  const usages = usagesOf(keyUsages, 'deriveKey', 4);
  const bits = await derive(normal, baseKey, length, ['deriveKey']);
  return importKeyData('raw', bits, derived, extractable, usages, 'deriveKey');
}

/** A key-wrapping algorithm: a dedicated one, or any that encrypts. */
const wrapping = (algorithm) => tryNormalize(algorithm, 'wrapKey') ?? normalize(algorithm, 'encrypt');

export async function wrapKey(format, key, wrappingKey, wrapAlgorithm) {
  checkFormat(format, 'wrapKey', 0);
  checkKey(key, 'wrapKey', 1);
  checkKey(wrappingKey, 'wrapKey', 2);
  const algorithm = wrapping(wrapAlgorithm);
  const exported = exportKeyData(format, key);
  let bytes = format === 'jwk' ? new TextEncoder().encode(JSON.stringify(exported)) : new Uint8Array(exported);
  if (format === 'jwk' && algorithm.name === 'AES-KW' && bytes.length % 8 !== 0) {
    // JSON allows trailing spaces, which pad it to whole blocks.
    const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8).fill(0x20);
    padded.set(bytes);
    bytes = padded;
  }
  return cipher('wrapKey', true, algorithm, wrappingKey, bytes);
}

export async function unwrapKey(format, wrapped, unwrappingKey, unwrapAlgorithm, unwrappedAlgorithm, extractable, keyUsages) {
  checkFormat(format, 'unwrapKey', 0);
  const bytes = dataOf(wrapped, 'unwrapKey', 1);
  checkKey(unwrappingKey, 'unwrapKey', 2);
  const [algorithm, imported] = [wrapping(unwrapAlgorithm), normalize(unwrappedAlgorithm, 'importKey')];
  const usages = usagesOf(keyUsages, 'unwrapKey', 6);
  const opened = cipher('unwrapKey', false, algorithm, unwrappingKey, bytes);
  if (format !== 'jwk') return importKeyData(format, opened, imported, extractable, usages);
  let web;
  try {
    web = JSON.parse(new TextDecoder().decode(opened));
  } catch {
    throw failure('Invalid wrapped JWK key', 'DataError');
  }
  return importKeyData('jwk', web, imported, extractable, usages);
}
