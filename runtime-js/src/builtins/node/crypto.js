import { crypto as webcrypto, randomUUID as makeUuid } from 'lmthing:internal/web/crypto';
import { ECDH, createECDH, diffieHellman } from '../crypto/agree.js';
import { checkObject } from '../crypto/arguments.js';
import { Cipheriv, Decipheriv, createCipheriv, createDecipheriv, getCipherInfo } from '../crypto/cipher.js';
import { constants } from '../crypto/constants.js';
import { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync } from '../crypto/derive.js';
import { generateKey, generateKeyPair, generateKeyPairSync, generateKeySync } from '../crypto/generate.js';
import { Hash, Hmac, createHash, createHmac, hash } from '../crypto/hash.js';
import { KeyObject, createPrivateKey, createPublicKey, createSecretKey } from '../crypto/keys.js';
import { getCiphers, getCurves, getHashes } from '../crypto/names.js';
import { privateDecrypt, privateEncrypt, publicDecrypt, publicEncrypt } from '../crypto/public-cipher.js';
import { randomBytes, randomFill, randomFillSync, randomInt, timingSafeEqual } from '../crypto/random.js';
import { Sign, Verify, createSign, createVerify, sign, verify } from '../crypto/sign.js';
import { notOffered } from '../shared/errors.js';

export function randomUUID(options = undefined) {
  if (options !== undefined) checkObject(options, 'options');
  return makeUuid();
}

export const getRandomValues = (array) => webcrypto.getRandomValues(array);
export const { subtle } = webcrypto;
export const getFips = () => 0;
export const secureHeapUsed = () => ({ total: 0, used: 0, utilization: 0, min: 0 });

const IV = 'createCipheriv and createDecipheriv take the key and a vector';
const KEYS = 'createECDH and diffieHellman (X25519, P-256, P-384, P-521, secp256k1) agree on secrets';
const missing = (name, instead = '') => notOffered(`crypto.${name}`, instead);
const Cipher = missing('Cipher', IV);
const Decipher = missing('Decipher', IV);
const createCipher = missing('createCipher', IV);
const createDecipher = missing('createDecipher', IV);
const DiffieHellman = missing('DiffieHellman', KEYS);
const DiffieHellmanGroup = missing('DiffieHellmanGroup', KEYS);
const createDiffieHellman = missing('createDiffieHellman', KEYS);
const createDiffieHellmanGroup = missing('createDiffieHellmanGroup', KEYS);
const getDiffieHellman = missing('getDiffieHellman', KEYS);
const Certificate = missing('Certificate');
const X509Certificate = missing('X509Certificate', 'createPublicKey reads the key in a certificate');
const checkPrime = missing('checkPrime');
const checkPrimeSync = missing('checkPrimeSync');
const generatePrime = missing('generatePrime');
const generatePrimeSync = missing('generatePrimeSync');
const setEngine = missing('setEngine');
const setFips = missing('setFips');

export { Certificate, checkPrime, checkPrimeSync, Cipher, Cipheriv, constants, createCipher, createCipheriv, createDecipher, createDecipheriv, createDiffieHellman, createDiffieHellmanGroup, createECDH, createHash, createHmac, createPrivateKey, createPublicKey, createSecretKey, createSign, createVerify, Decipher, Decipheriv, DiffieHellman, diffieHellman, DiffieHellmanGroup, ECDH, generateKey, generateKeyPair, generateKeyPairSync, generateKeySync, generatePrime, generatePrimeSync, getCipherInfo, getCiphers, getCurves, getDiffieHellman, getHashes, Hash, hash, hkdf, hkdfSync, Hmac, KeyObject, pbkdf2, pbkdf2Sync, privateDecrypt, privateEncrypt, publicDecrypt, publicEncrypt, randomBytes, randomFill, randomFillSync, randomInt, scrypt, scryptSync, setEngine, setFips, Sign, sign, timingSafeEqual, Verify, verify, webcrypto, X509Certificate };
export { randomBytes as pseudoRandomBytes, randomBytes as prng, randomBytes as rng };

export default { Certificate, checkPrime, checkPrimeSync, Cipher, Cipheriv, constants, createCipher, createCipheriv, createDecipher, createDecipheriv, createDiffieHellman, createDiffieHellmanGroup, createECDH, createHash, createHmac, createPrivateKey, createPublicKey, createSecretKey, createSign, createVerify, Decipher, Decipheriv, DiffieHellman, diffieHellman, DiffieHellmanGroup, ECDH, generateKey, generateKeyPair, generateKeyPairSync, generateKeySync, generatePrime, generatePrimeSync, getCipherInfo, getCiphers, getCurves, getDiffieHellman, getFips, getHashes, getRandomValues, Hash, hash, hkdf, hkdfSync, Hmac, KeyObject, pbkdf2, pbkdf2Sync, privateDecrypt, privateEncrypt, prng: randomBytes, pseudoRandomBytes: randomBytes, publicDecrypt, publicEncrypt, randomBytes, randomFill, randomFillSync, randomInt, randomUUID, rng: randomBytes, scrypt, scryptSync, secureHeapUsed, setEngine, setFips, Sign, sign, subtle, timingSafeEqual, Verify, verify, webcrypto, X509Certificate };
