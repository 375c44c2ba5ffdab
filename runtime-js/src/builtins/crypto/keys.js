// `KeyObject`, and key arguments in all of Node's forms.
import { rsaPrivateKey, rsaPublicKey } from 'lmthing:internal/native/crypto';
import { keyObjectOf } from 'lmthing:internal/web/crypto';
import { Buffer } from 'node:buffer';
import { brand } from '../shared/brand.js';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { bytesOf, checkObject, encoded } from './arguments.js';
import { DerError } from './der.js';
import { invalidValue, opensslError } from './errors.js';
import { read, readWebKey, write, writeWebKey } from './key-formats.js';
import { decryptPem, decryptPkcs8, encryptPem, encryptPkcs8, readPem, writePem } from './pem.js';

const TOKEN = Symbol('internal');
const kKeyType = Symbol('kKeyType');
/** For each `KeyObject` its bytes, or a key as in `key-formats.js`. */
const contents = new WeakMap();
/** RSA keys of the native half, made on first use. */
const nativeKeys = new WeakMap();

export class KeyObject {
  constructor(type, handle, token = undefined) {
    if (type !== 'secret' && type !== 'public' && type !== 'private') throw invalidValue('type', type);
    if (token !== TOKEN) throw invalidArgumentType('handle', 'of type object', handle);
    this[kKeyType] = type;
    contents.set(this, handle);
  }

  get type() {
    return this[kKeyType];
  }

  static from(key) {
    const object = keyObjectOf(key);
    if (!object) throw invalidArgumentType('key', 'an instance of CryptoKey', key);
    return object;
  }

  equals(other) {
    if (!(other instanceof KeyObject)) throw invalidArgumentType('otherKeyObject', 'an instance of KeyObject', other);
    if (other.type !== this.type) return false;
    const [own, theirs] = [this, other].map((key) => Buffer.from(comparable(key)));
    return own.equals(theirs);
  }
}
brand(KeyObject, 'KeyObject');

function comparable(key) {
  const content = contents.get(key);
  if (key.type === 'secret') return content;
  return key.type === 'public' ? write.spki(content) : write.pkcs8(content);
}

class SecretKeyObject extends KeyObject {
  get symmetricKeySize() {
    return contents.get(this).length;
  }

  export(options = undefined) {
    if (options !== undefined) {
      checkObject(options, 'options');
      const { format } = options;
      if (format === 'jwk') return { kty: 'oct', k: encoded(contents.get(this), 'base64url') };
      if (format !== undefined && format !== 'buffer') throw invalidValue('options.format', format, "must be one of: undefined, 'buffer', 'jwk'");
    }
    return Buffer.from(contents.get(this));
  }
}
brand(SecretKeyObject, 'SecretKeyObject', false);

class AsymmetricKeyObject extends KeyObject {
  get asymmetricKeyType() {
    return contents.get(this).type;
  }

  get asymmetricKeyDetails() {
    const key = contents.get(this);
    if (key.type === 'rsa') {
      const publicExponent = key.e.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
      return { modulusLength: key.n.length * 8 - Math.clz32(key.n[0]) + 24, publicExponent };
    }
    return key.type === 'ec' ? { namedCurve: key.curve.name } : {};
  }
}
brand(AsymmetricKeyObject, 'AsymmetricKeyObject', false);

class PublicKeyObject extends AsymmetricKeyObject {
  export(options) {
    return exportKey(this, options);
  }
}
brand(PublicKeyObject, 'PublicKeyObject', false);

class PrivateKeyObject extends AsymmetricKeyObject {
  export(options) {
    return exportKey(this, options);
  }
}
brand(PrivateKeyObject, 'PrivateKeyObject', false);

const makePublic = (content) => new PublicKeyObject('public', content, TOKEN);
export const makePrivate = (content) => new PrivateKeyObject('private', content, TOKEN);

export function publicOf(content) {
  const { type, n, e, curve, point } = content;
  return makePublic(type === 'rsa' ? { type, n, e } : type === 'ec' ? { type, curve, point } : { type, point });
}

export const contentOf = (key) => contents.get(key);

export function rsaKeyOf(object) {
  let native = nativeKeys.get(object);
  if (!native) {
    const { n, e, d, p, q } = contents.get(object);
    native = object.type === 'private' ? rsaPrivateKey(n, e, d, p, q) : rsaPublicKey(n, e);
    nativeKeys.set(object, native);
  }
  return native;
}

const PUBLIC_LABELS = { spki: 'PUBLIC KEY', pkcs1: 'RSA PUBLIC KEY' };
const PRIVATE_LABELS = { pkcs8: 'PRIVATE KEY', pkcs1: 'RSA PRIVATE KEY', sec1: 'EC PRIVATE KEY' };

/** Throws for encodings that the key type does not support; `prefix` names the options in the message. */
export function checkEncoding(keyType, isPrivate, options, prefix = 'options') {
  const { format, type, cipher, passphrase } = options;
  if (format !== 'pem' && format !== 'der' && format !== 'jwk') throw invalidValue(`${prefix}.format`, format);
  if (format === 'jwk') return;
  const labels = isPrivate ? PRIVATE_LABELS : PUBLIC_LABELS;
  if (!Object.hasOwn(labels, type ?? '')) throw invalidValue(`${prefix}.type`, type);
  const only = { pkcs1: ['rsa', 'RSA'], sec1: ['ec', 'EC'] }[type];
  const incompatible = (reason) => nodeError(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', `The selected key encoding ${type} ${reason}.`);
  if (only && only[0] !== keyType) throw incompatible(`can only be used for ${only[1]} keys`);
  if (!isPrivate || cipher === undefined || cipher === null) return;
  if (typeof cipher !== 'string') throw invalidValue(`${prefix}.cipher`, cipher);
  if (format === 'der' && type !== 'pkcs8') throw incompatible('does not support encryption');
  if (typeof passphrase !== 'string' && !asBytes(passphrase)) throw invalidValue(`${prefix}.passphrase`, passphrase);
}

export function exportKey(object, options, prefix = 'options') {
  checkObject(options, prefix);
  const isPrivate = object.type === 'private';
  const key = contents.get(object);
  checkEncoding(key.type, isPrivate, options, prefix);
  const { format, type, cipher } = options;
  if (format === 'jwk') return writeWebKey(key, isPrivate);
  let bytes = write[type === 'pkcs1' ? `pkcs1-${object.type}` : type](key);
  let label = (isPrivate ? PRIVATE_LABELS : PUBLIC_LABELS)[type];
  if (isPrivate && cipher) {
    const passphrase = bytesOf(options.passphrase, 'passphrase', options.encoding);
    if (type !== 'pkcs8') return encryptPem(label, bytes, cipher, passphrase);
    bytes = encryptPkcs8(bytes, cipher, passphrase);
    label = 'ENCRYPTED PRIVATE KEY';
  }
  return format === 'pem' ? writePem(label, bytes) : encoded(bytes);
}

const KEY_FORMS = 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView';
const ALL_FORMS = 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, DataView, KeyObject, or CryptoKey';

export function secretBytes(key, name, encoding = 'utf8') {
  const object = key instanceof KeyObject ? key : keyObjectOf(key);
  if (!object) return bytesOf(key, name, encoding, ALL_FORMS);
  if (object.type !== 'secret') throw wrongKind(object.type, 'secret');
  return contents.get(object);
}

const wrongKind = (type, expected) =>
  nodeError(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${type}, expected ${expected}.`);

export function createSecretKey(key, encoding = undefined) {
  const bytes = bytesOf(key, 'key', encoding, 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView');
  return new SecretKeyObject('secret', bytes.slice(), TOKEN);
}

/** Turns parse errors into OpenSSL's. */
function parsing(work, failure = 'UNSUPPORTED') {
  try {
    return work();
  } catch (error) {
    if (error instanceof DerError) throw opensslError(failure);
    throw error;
  }
}

const needPassphrase = (passphrase, encoding) => {
  if (passphrase === undefined || passphrase === null) throw opensslError('CRYPTO_INTERRUPTED_OR_CANCELLED');
  return bytesOf(passphrase, 'key.passphrase', encoding);
};

function privateOfPem(pem, { passphrase, encoding }) {
  const isLegacy = pem.headers['Proc-Type'] === '4,ENCRYPTED';
  const bytes = isLegacy ? decryptPem(pem, needPassphrase(passphrase, encoding)) : pem.bytes;
  switch (pem.label) {
    case 'PRIVATE KEY':
      return read.pkcs8(bytes);
    case 'ENCRYPTED PRIVATE KEY':
      return read.pkcs8(decryptPkcs8(bytes, needPassphrase(passphrase, encoding)));
    case 'RSA PRIVATE KEY':
      return read['pkcs1-private'](bytes);
    case 'EC PRIVATE KEY':
      return read.sec1(bytes);
    default:
      throw opensslError('UNSUPPORTED');
  }
}

const PUBLIC_PEM = { 'PUBLIC KEY': 'spki', 'RSA PUBLIC KEY': 'pkcs1-public', CERTIFICATE: 'certificate' };

const latin1 = (bytes) => encoded(bytes).toString('latin1');

function readPrivate(bytes, options) {
  const { format = 'pem', type, passphrase, encoding } = options;
  return parsing(() => {
    if (format === 'pem') {
      const pem = readPem(latin1(bytes));
      if (!pem) throw opensslError('UNSUPPORTED');
      return makePrivate(privateOfPem(pem, options));
    }
    if (type === 'pkcs1') return makePrivate(read['pkcs1-private'](bytes));
    if (type === 'sec1') return makePrivate(read.sec1(bytes));
    if (type !== 'pkcs8') throw invalidValue('options.type', type);
    if (passphrase === undefined || passphrase === null) return makePrivate(read.pkcs8(bytes));
    return makePrivate(read.pkcs8(decryptPkcs8(bytes, needPassphrase(passphrase, encoding))));
  }, format === 'der' ? 'ASN1_NOT_ENOUGH_DATA' : 'UNSUPPORTED');
}

/** A public key; the file may hold the private key instead. */
function readPublic(bytes, options) {
  const { format = 'pem', type } = options;
  if (format === 'der') {
    if (type === 'spki') return parsing(() => makePublic(read.spki(bytes)), 'ASN1_WRONG_TAG');
    if (type === 'pkcs1') return parsing(() => makePublic(read['pkcs1-public'](bytes)), 'ASN1_WRONG_TAG');
    return publicOf(contents.get(readPrivate(bytes, options)));
  }
  const pem = readPem(latin1(bytes));
  const reader = PUBLIC_PEM[pem?.label];
  if (!reader) return publicOf(contents.get(readPrivate(bytes, options)));
  return parsing(() => makePublic(read[reader](pem.bytes)), 'ASN1_WRONG_TAG');
}

function checkForm(options) {
  const { format } = options;
  if (format !== undefined && format !== 'pem' && format !== 'der') throw invalidValue('options.format', format);
}

/** The key argument and its format options. */
function formOf(key) {
  const isPlain = typeof key === 'string' || asBytes(key) || key instanceof KeyObject || keyObjectOf(key);
  if (isPlain || key === null || typeof key !== 'object') return [key, {}];
  return [key.key, key];
}

function keyOf(given, wanted, readBytes, checkObjectType, expected) {
  const [key, options] = formOf(given);
  const object = key instanceof KeyObject ? key : keyObjectOf(key);
  if (object) return checkObjectType(object);
  if (options.format === 'jwk') {
    checkObject(key, 'key.key');
    const isPrivate = wanted === 'private' || (wanted === 'any' && key.d !== undefined);
    const content = readWebKey(key, isPrivate);
    return isPrivate ? makePrivate(content) : makePublic(content);
  }
  const bytes = bytesOf(key, options === given ? 'key.key' : 'key', options.encoding, expected);
  checkForm(options);
  return readBytes(bytes, options);
}

const privateOnly = (object) => {
  if (object.type !== 'private') throw wrongKind(object.type, 'private');
  return object;
};

export function createPrivateKey(key) {
  const refuse = (object) => {
    throw invalidArgumentType('key', KEY_FORMS, object);
  };
  return keyOf(key, 'private', readPrivate, refuse, KEY_FORMS);
}

export const createPublicKey = (key) =>
  keyOf(key, 'public', readPublic, (object) => publicOf(contents.get(privateOnly(object))), ALL_FORMS);

export const privateKeyOf = (key) => keyOf(key, 'private', readPrivate, privateOnly, ALL_FORMS);

/** A public key argument; a private key is accepted. */
export function publicKeyOf(key) {
  const check = (object) => {
    if (object.type === 'secret') throw wrongKind(object.type, 'private or public');
    return object.type === 'private' ? publicOf(contents.get(object)) : object;
  };
  return keyOf(key, 'public', readPublic, check, ALL_FORMS);
}

export const optionsOf = (key) => formOf(key)[1];
