// PEM files, and keys protected by a passphrase.
import { createCipher, createHash, pbkdf2, randomBytes } from 'lmthing:internal/native/crypto';
import { Buffer } from 'node:buffer';
import { concatenate } from '../shared/bytes.js';
import { nodeError } from '../shared/errors.js';
import { DerError, Reader, integer, none, octets, oid, sequence } from './der.js';
import { opensslError } from './errors.js';
import { cipherOf } from './names.js';

const PBES2 = '1.2.840.113549.1.5.13';
const PBKDF2 = '1.2.840.113549.1.5.12';
const PSEUDORANDOM = { '1.2.840.113549.2.7': 'sha1', '1.2.840.113549.2.8': 'sha224', '1.2.840.113549.2.9': 'sha256', '1.2.840.113549.2.10': 'sha384', '1.2.840.113549.2.11': 'sha512' };
const CIPHERS = { '2.16.840.1.101.3.4.1.2': 'aes-128-cbc', '2.16.840.1.101.3.4.1.22': 'aes-192-cbc', '2.16.840.1.101.3.4.1.42': 'aes-256-cbc' };
const ITERATIONS = 2048;

/** The first block of a PEM file: `{label, headers, bytes}`, or `undefined`. */
export function readPem(text) {
  const [, label, body] = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]+?)-----END \1-----/.exec(text) ?? [];
  if (!label) return undefined;
  const headers = Object.fromEntries([...body.matchAll(/^([\w-]+): (.*?)\s*$/gm)].map(([, name, value]) => [name, value]));
  const content = body.replace(/^[\w-]+: .*$/gm, '');
  return { label, headers, bytes: new Uint8Array(Buffer.from(content, 'base64')) };
}

export function writePem(label, bytes, headers = '') {
  const lines = Buffer.from(bytes).toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${headers}${lines}\n-----END ${label}-----\n`;
}

function run(name, key, iv, bytes, encrypts) {
  const cipher = createCipher(name, key, iv, encrypts);
  if (!cipher) throw new DerError('wrong length of key or vector');
  const start = cipher.update(bytes);
  try {
    return concatenate([start, cipher.finish()]);
  } catch {
    throw opensslError('BAD_DECRYPT');
  }
}

function cbcNamed(name) {
  const cipher = cipherOf(String(name));
  if (cipher?.mode !== 'cbc') throw nodeError(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', cipher ? `Unknown cipher: ${name} (lmthing protects keys with aes-128-cbc, aes-192-cbc or aes-256-cbc)` : 'Unknown cipher');
  return cipher;
}

/** Decrypts an "ENCRYPTED PRIVATE KEY". */
export function decryptPkcs8(bytes, passphrase) {
  const reader = new Reader(bytes).within();
  const algorithm = reader.within();
  const content = reader.octets();
  if (algorithm.oid() !== PBES2) throw opensslError('UNSUPPORTED');
  const parameters = algorithm.within();
  const derivation = parameters.within();
  if (derivation.oid() !== PBKDF2) throw opensslError('UNSUPPORTED');
  const settings = derivation.within();
  const salt = settings.octets();
  const rounds = settings.integer().reduce((sum, byte) => sum * 256 + byte, 0);
  let hash = 'sha1';
  if (settings.tag === 0x02) settings.integer();
  if (!settings.isAtEnd) hash = PSEUDORANDOM[settings.within().oid()];
  const encryption = parameters.within();
  const name = CIPHERS[encryption.oid()];
  if (!name || !hash) throw opensslError('UNSUPPORTED');
  const key = pbkdf2([hash, passphrase, salt, rounds, cipherOf(name).keyLength]);
  return run(name, key, encryption.octets(), content, false);
}

export function encryptPkcs8(bytes, cipherName, passphrase) {
  const { native, keyLength } = cbcNamed(cipherName);
  const [salt, iv] = [randomBytes(8), randomBytes(16)];
  const key = pbkdf2(['sha256', passphrase, salt, ITERATIONS, keyLength]);
  const [cipherId] = Object.entries(CIPHERS).find(([, name]) => name === native);
  const derivation = sequence(oid(PBKDF2), sequence(octets(salt), integer(ITERATIONS), sequence(oid('1.2.840.113549.2.9'), none())));
  const algorithm = sequence(oid(PBES2), sequence(derivation, sequence(oid(cipherId), octets(iv))));
  return sequence(algorithm, octets(run(native, key, iv, bytes, true)));
}

/** OpenSSL's legacy key derivation: iterated MD5. */
function legacyKey(passphrase, salt, length) {
  let [key, last] = [new Uint8Array(0), new Uint8Array(0)];
  while (key.length < length) {
    const hash = createHash('md5');
    hash.update(concatenate([last, passphrase, salt]));
    last = hash.digest();
    key = concatenate([key, last]);
  }
  return key.subarray(0, length);
}

/** Decrypts a PEM block with `Proc-Type: 4,ENCRYPTED`. */
export function decryptPem({ headers, bytes }, passphrase) {
  const [name, vector] = (headers['DEK-Info'] ?? '').split(',');
  const cipher = cbcNamed(name);
  const iv = new Uint8Array(Buffer.from(vector ?? '', 'hex'));
  return run(cipher.native, legacyKey(passphrase, iv.subarray(0, 8), cipher.keyLength), iv, bytes, false);
}

export function encryptPem(label, bytes, cipherName, passphrase) {
  const cipher = cbcNamed(cipherName);
  const iv = randomBytes(16);
  const key = legacyKey(passphrase, iv.subarray(0, 8), cipher.keyLength);
  const vector = Buffer.from(iv).toString('hex').toUpperCase();
  const headers = `Proc-Type: 4,ENCRYPTED\nDEK-Info: ${cipher.native.toUpperCase()},${vector}\n\n`;
  return writePem(label, run(cipher.native, key, iv, bytes, true), headers);
}
