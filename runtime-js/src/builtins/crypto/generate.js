// Key generation.
import { curveGenerate, curvePublicKey, randomBytes, rsaGenerate, rsaGenerateAsync } from 'lmthing:internal/native/crypto';
import { nodeError } from '../shared/errors.js';
import { answerLater, checkFunction, checkInteger, checkObject, checkString } from './arguments.js';
import { invalidValue } from './errors.js';
import { notOfferedKey } from './key-formats.js';
import { checkEncoding, createSecretKey, exportKey, makePrivate, publicOf } from './keys.js';
import { curveNamed } from './names.js';

const RSA_PARTS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];
const LEFT_OUT = ['rsa-pss', 'dsa', 'dh', 'ed448', 'x448'];

function curveKey(type, web, extra = {}) {
  const d = curveGenerate(web);
  return { type, d, point: curvePublicKey(web, d), ...extra };
}

function rsaJob(options) {
  const { modulusLength, publicExponent = 65537 } = options;
  checkInteger(modulusLength, 'options.modulusLength', 0, 2 ** 32 - 1);
  checkInteger(publicExponent, 'options.publicExponent', 0, 2 ** 32 - 1);
  if (modulusLength < 512) throw new Error('error:1C8000AB:Provider routines::key size too small');
  if (publicExponent < 3 || publicExponent % 2 === 0) throw new Error('error:020000B2:rsa routines::pub exponent out of range');
  return [modulusLength, publicExponent];
}

const rsaKey = (numbers) => ({ type: 'rsa', ...Object.fromEntries(RSA_PARTS.map((part, index) => [part, numbers[index]])) });

/** Checks the arguments; returns `{make, makeAsync}` for the private key. */
function prepare(type, options) {
  checkString(type, 'type');
  if (type === 'ed25519' || type === 'x25519') return { make: () => curveKey(type, type === 'ed25519' ? 'Ed25519' : 'X25519') };
  if (LEFT_OUT.includes(type)) throw notOfferedKey(type);
  if (type !== 'rsa' && type !== 'ec') throw invalidValue('type', type, 'must be a supported key type');
  checkObject(options, 'options');
  if (type === 'rsa') {
    const job = rsaJob(options);
    return { make: () => rsaKey(rsaGenerate(job)), makeAsync: async () => rsaKey(await rsaGenerateAsync(job)) };
  }
  checkString(options.namedCurve, 'options.namedCurve');
  const curve = curveNamed(options.namedCurve);
  if (!curve) throw nodeError(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
  return { make: () => curveKey('ec', curve.web, { curve }) };
}

/** A pair as key objects, or encoded as the options say. */
function pairOf(content, options = {}) {
  const privateKey = makePrivate(content);
  const publicKey = publicOf(content);
  const { publicKeyEncoding, privateKeyEncoding } = options;
  return {
    publicKey: publicKeyEncoding ? exportKey(publicKey, publicKeyEncoding, 'options.publicKeyEncoding') : publicKey,
    privateKey: privateKeyEncoding ? exportKey(privateKey, privateKeyEncoding, 'options.privateKeyEncoding') : privateKey,
  };
}

function checkEncodings(type, options = {}) {
  const { publicKeyEncoding, privateKeyEncoding } = options ?? {};
  if (publicKeyEncoding !== undefined) {
    checkObject(publicKeyEncoding, 'options.publicKeyEncoding');
    checkEncoding(type, false, publicKeyEncoding, 'options.publicKeyEncoding');
  }
  if (privateKeyEncoding !== undefined) {
    checkObject(privateKeyEncoding, 'options.privateKeyEncoding');
    checkEncoding(type, true, privateKeyEncoding, 'options.privateKeyEncoding');
  }
}

export function generateKeyPairSync(type, options = undefined) {
  const { make } = prepare(type, options);
  checkEncodings(type, options);
  return pairOf(make(), options);
}

export function generateKeyPair(type, options, callback) {
  if (typeof options === 'function') [options, callback] = [undefined, options];
  checkFunction(callback);
  const { make, makeAsync = make } = prepare(type, options);
  checkEncodings(type, options);
  const answer = (error, pair) => (error ? callback(error) : callback(null, pair.publicKey, pair.privateKey));
  answerLater(async () => pairOf(await makeAsync(), options), answer);
}

// The callback gets two values; the promise resolves to an object of both.
generateKeyPair[Symbol.for('nodejs.util.promisify.custom')] = (type, options) =>
  new Promise((resolve, reject) => {
    generateKeyPair(type, options, (error, publicKey, privateKey) => (error ? reject(error) : resolve({ publicKey, privateKey })));
  });

function secretLength(type, options) {
  checkString(type, 'type');
  if (type !== 'hmac' && type !== 'aes') throw invalidValue('type', type, 'must be a supported key type');
  checkObject(options, 'options');
  const { length } = options;
  if (type === 'hmac') checkInteger(length, 'options.length', 8, 2 ** 31 - 1);
  else if (![128, 192, 256].includes(length)) throw invalidValue('options.length', length, 'must be one of: 128, 192, 256');
  return Math.floor(length / 8);
}

export const generateKeySync = (type, options) => createSecretKey(randomBytes(secretLength(type, options)));

export function generateKey(type, options, callback) {
  checkFunction(callback);
  const length = secretLength(type, options);
  answerLater(() => createSecretKey(randomBytes(length)), callback);
}
