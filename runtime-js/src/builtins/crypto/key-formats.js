// Key formats: PKCS #1, PKCS #8, SEC 1, SPKI and JSON web keys.
//
// A key is `{type, …}`: `rsa` with `n`, `e` and, if private, `d`, `p`, `q`, `dp`, `dq`, `qi`; `ec` with `curve` and
// `point`; `ed25519` and `x25519` with `point`; private ones of the latter three with `d`.
import { curvePoint, curvePublicKey } from 'lmthing:internal/native/crypto';
import { Buffer } from 'node:buffer';
import { concatenate } from '../shared/bytes.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { DerError, Reader, TAG, bits, element, integer, none, octets, oid, sequence, trimmed } from './der.js';
import { invalidValue } from './errors.js';
import { curveOfOid, curveOfWeb } from './names.js';

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
const OCTET_KEYS = { '1.3.101.112': 'ed25519', '1.3.101.110': 'x25519' };
const LEFT_OUT = { '1.2.840.113549.1.1.10': 'rsa-pss', '1.3.101.113': 'ed448', '1.3.101.111': 'x448', '1.2.840.10040.4.1': 'dsa', '1.2.840.113549.1.3.1': 'dh' };

export const notOfferedKey = (type) =>
  nodeError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `lmthing does not offer keys of type ${type}; only rsa, ec, ed25519 and x25519`);

const RSA_PARTS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

function readCurve(reader) {
  const name = reader.oid();
  const curve = curveOfOid(name);
  if (!curve) throw nodeError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `lmthing does not offer the curve ${name}; only P-256, P-384, P-521 and secp256k1`);
  return curve;
}

function pointOf(curve, bytes) {
  const point = curvePoint(curve.web, bytes, false);
  if (!point) throw new DerError('not a point of the curve');
  return point;
}

/** Pads a private number to the size of the curve. */
export function padded(bytes, size) {
  const plain = trimmed(bytes);
  if (plain.length > size) throw new DerError('too long');
  return concatenate([new Uint8Array(size - plain.length), plain]);
}

function privateOfCurve(curve, number) {
  const d = padded(number, curve.size);
  const point = curvePublicKey(curve.web, d);
  if (!point) throw new DerError('not a key of the curve');
  return { type: 'ec', curve, d, point };
}

function privateOfSeed(type, seed) {
  const point = curvePublicKey(type === 'ed25519' ? 'Ed25519' : 'X25519', seed);
  if (!point) throw new DerError('not a key');
  return { type, d: seed.slice(), point };
}

/** Parsers by format name. */
export const read = {
  'pkcs1-private'(bytes) {
    const reader = new Reader(bytes).within();
    reader.integer();
    return { type: 'rsa', ...Object.fromEntries(RSA_PARTS.map((part) => [part, reader.integer().slice()])) };
  },

  'pkcs1-public'(bytes) {
    const reader = new Reader(bytes).within();
    return { type: 'rsa', n: reader.integer().slice(), e: reader.integer().slice() };
  },

  sec1(bytes, known = undefined) {
    const reader = new Reader(bytes).within();
    reader.integer();
    const number = reader.octets();
    const curve = reader.tag === 0xa0 ? readCurve(reader.within(0xa0)) : known;
    if (!curve) throw new DerError('no curve');
    return privateOfCurve(curve, number);
  },

  pkcs8(bytes) {
    const reader = new Reader(bytes).within();
    reader.integer();
    const algorithm = reader.within();
    const name = algorithm.oid();
    const content = reader.octets();
    if (name === RSA) return read['pkcs1-private'](content);
    if (name === EC) return read.sec1(content, readCurve(algorithm));
    if (OCTET_KEYS[name]) return privateOfSeed(OCTET_KEYS[name], new Reader(content).octets());
    throw notOfferedKey(LEFT_OUT[name] ?? name);
  },

  spki(bytes) {
    const reader = new Reader(bytes).within();
    const algorithm = reader.within();
    const name = algorithm.oid();
    const content = reader.bits();
    if (name === RSA) return read['pkcs1-public'](content);
    if (name === EC) {
      const curve = readCurve(algorithm);
      return { type: 'ec', curve, point: pointOf(curve, content) };
    }
    if (OCTET_KEYS[name]) return { type: OCTET_KEYS[name], point: content.slice() };
    throw notOfferedKey(LEFT_OUT[name] ?? name);
  },

  /** The public key of an X.509 certificate; nothing else is read or verified. */
  certificate(bytes) {
    const reader = new Reader(bytes).within().within();
    if (reader.tag === 0xa0) reader.element();
    // Serial number, signature algorithm, issuer, validity, subject.
    for (let field = 0; field < 5; field++) reader.element();
    return read.spki(reader.element(TAG.sequence).whole);
  },
};

const OIDS = { ed25519: '1.3.101.112', x25519: '1.3.101.110' };

function algorithmOf(key) {
  if (key.type === 'rsa') return sequence(oid(RSA), none());
  if (key.type === 'ec') return sequence(oid(EC), oid(key.curve.oid));
  return sequence(oid(OIDS[key.type]));
}

/** Writers by format name. */
export const write = {
  'pkcs1-private': (key) => sequence(integer(0), ...RSA_PARTS.map((part) => integer(key[part]))),
  'pkcs1-public': (key) => sequence(integer(key.n), integer(key.e)),
  sec1: (key, hasCurve = true) =>
    sequence(integer(1), octets(key.d), ...(hasCurve ? [element(0xa0, oid(key.curve.oid))] : []), element(0xa1, bits(key.point))),
  pkcs8(key) {
    const content = key.type === 'rsa' ? write['pkcs1-private'](key) : key.type === 'ec' ? write.sec1(key, false) : octets(key.d);
    return sequence(integer(0), algorithmOf(key), octets(content));
  },
  spki: (key) => sequence(algorithmOf(key), bits(key.type === 'rsa' ? write['pkcs1-public'](key) : key.point)),
};

const text64 = (bytes) => Buffer.from(bytes).toString('base64url');
const WEB_NAMES = { ed25519: 'Ed25519', x25519: 'X25519' };

/** Members are in Node's order. */
export function writeWebKey(key, isPrivate) {
  if (key.type === 'rsa') {
    const parts = isPrivate ? RSA_PARTS : ['n', 'e'];
    return { kty: 'RSA', ...Object.fromEntries(parts.map((part) => [part, text64(key[part])])) };
  }
  if (key.type === 'ec') {
    const { curve, point } = key;
    const web = { kty: 'EC', x: text64(point.subarray(1, 1 + curve.size)), y: text64(point.subarray(1 + curve.size)), crv: curve.web };
    return isPrivate ? { ...web, d: text64(key.d) } : web;
  }
  return { crv: WEB_NAMES[key.type], ...(isPrivate && { d: text64(key.d) }), x: text64(key.point), kty: 'OKP' };
}

function webBytes(key, name) {
  if (typeof key[name] !== 'string') throw invalidArgumentType(`key.${name}`, 'of type string', key[name]);
  return new Uint8Array(Buffer.from(key[name], 'base64url'));
}

function readWebCurve(key, isPrivate) {
  const curve = curveOfWeb(key.crv);
  if (!curve) throw invalidValue('key.crv', key.crv, "must be one of: 'P-256', 'secp256k1', 'P-384', 'P-521'");
  const [x, y] = [webBytes(key, 'x'), webBytes(key, 'y')];
  const d = isPrivate ? webBytes(key, 'd') : undefined;
  try {
    const point = pointOf(curve, concatenate([new Uint8Array([4]), padded(x, curve.size), padded(y, curve.size)]));
    return isPrivate ? { type: 'ec', curve, d: padded(d, curve.size), point } : { type: 'ec', curve, point };
  } catch {
    throw nodeError(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK EC key');
  }
}

export function readWebKey(key, isPrivate) {
  if (key.kty === 'RSA') {
    const parts = isPrivate ? RSA_PARTS : ['n', 'e'];
    return { type: 'rsa', ...Object.fromEntries(parts.map((part) => [part, trimmed(webBytes(key, part))])) };
  }
  if (key.kty === 'EC') {
    if (typeof key.crv !== 'string') throw invalidArgumentType('key.crv', 'of type string', key.crv);
    return readWebCurve(key, isPrivate);
  }
  if (key.kty === 'OKP') {
    const type = { Ed25519: 'ed25519', X25519: 'x25519' }[key.crv];
    if (!type && (key.crv === 'Ed448' || key.crv === 'X448')) throw notOfferedKey(key.crv.toLowerCase());
    if (!type) throw invalidValue('key.crv', key.crv, "must be one of: 'Ed25519', 'Ed448', 'X25519', 'X448'");
    const bytes = webBytes(key, isPrivate ? 'd' : 'x');
    if (bytes.length !== 32) throw nodeError(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK data');
    return isPrivate ? privateOfSeed(type, bytes) : { type, point: bytes };
  }
  throw invalidValue('key.kty', key.kty, "must be one of: 'RSA', 'EC', 'OKP'");
}
