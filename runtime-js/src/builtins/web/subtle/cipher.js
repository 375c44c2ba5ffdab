// `encrypt` and `decrypt`, and AES key wrapping (RFC 3394).
import { createCipheriv, createDecipheriv, privateDecrypt, publicEncrypt } from 'node:crypto';
import { keyObjectOf } from 'lmthing:internal/web/crypto';
import { asBytes, concatenate } from '../../shared/bytes.js';
import { nodeError } from '../../shared/errors.js';
import { failure, nodeHash, operation, ownBuffer } from './arguments.js';

const TAG_LENGTHS = [32, 64, 96, 104, 112, 120, 128];

function parameter(algorithm, name, size = undefined) {
  const bytes = asBytes(algorithm[name]);
  if (!bytes) throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `Failed to normalize algorithm: algorithm.${name} is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  if (size !== undefined && bytes.length !== size) throw failure(`algorithm.${name} must contain exactly ${size} bytes`);
  return bytes;
}

const cipherName = (key, mode) => `aes-${key.algorithm.length}-${mode}`;

function gcm(encrypts, algorithm, key, data) {
  const { tagLength = 128, additionalData } = algorithm;
  if (!TAG_LENGTHS.includes(tagLength)) throw failure(`${tagLength} is not a valid AES-GCM tag length`);
  const size = tagLength / 8;
  const iv = parameter(algorithm, 'iv');
  const make = encrypts ? createCipheriv : createDecipheriv;
  const cipher = operation(() => make(cipherName(key, 'gcm'), keyObjectOf(key), iv, { authTagLength: size }));
  if (additionalData !== undefined) cipher.setAAD(parameter(algorithm, 'additionalData'));
  if (encrypts) {
    const sealed = [cipher.update(data), cipher.final()];
    return concatenate([...sealed, cipher.getAuthTag()].map(asBytes));
  }
  if (data.length < size) throw failure('The provided data is too small.');
  cipher.setAuthTag(data.subarray(data.length - size));
  const opened = cipher.update(data.subarray(0, data.length - size));
  try {
    cipher.final();
  } catch {
    throw failure('The operation failed for an operation-specific reason', 'OperationError', new Error('Cipher job failed'));
  }
  return asBytes(opened);
}

function cbc(encrypts, algorithm, key, data) {
  const iv = parameter(algorithm, 'iv', 16);
  const cipher = (encrypts ? createCipheriv : createDecipheriv)(cipherName(key, 'cbc'), keyObjectOf(key), iv);
  return operation(() => concatenate([cipher.update(data), cipher.final()].map(asBytes)));
}

/** Only the last `length` bits of the counter are incremented: the text is split where they wrap. */
function ctr(encrypts, algorithm, key, data) {
  const counter = parameter(algorithm, 'counter', 16);
  const { length } = algorithm;
  if (!(length >= 1 && length <= 128)) throw failure('AES-CTR algorithm.length must be between 1 and 128');
  const run = (start, part) => asBytes(createCipheriv(cipherName(key, 'ctr'), keyObjectOf(key), start).update(part));
  const mask = (1n << BigInt(length)) - 1n;
  const start = BigInt(`0x${counter.toHex()}`);
  const untilWrap = mask + 1n - (start & mask);
  const blocks = BigInt(Math.ceil(data.length / 16));
  if (blocks > mask + 1n) throw failure('The operation failed for an operation-specific reason');
  if (blocks <= untilWrap) return run(counter, data);
  const cut = Number(untilWrap) * 16;
  const wrapped = Uint8Array.fromHex((start & ~mask).toString(16).padStart(32, '0'));
  return concatenate([run(counter, data.subarray(0, cut)), run(wrapped, data.subarray(cut))]);
}

function oaep(encrypts, algorithm, key, data) {
  if (key.type !== (encrypts ? 'public' : 'private')) throw failure('The requested operation is not valid for the provided key', 'InvalidAccessError');
  const oaepLabel = algorithm.label === undefined ? undefined : parameter(algorithm, 'label');
  const settings = { key: keyObjectOf(key), oaepHash: nodeHash(key.algorithm.hash), oaepLabel };
  return operation(() => asBytes((encrypts ? publicEncrypt : privateDecrypt)(settings, data)));
}

const INITIAL = new Uint8Array(8).fill(0xa6);

/** Six rounds over the key in blocks of eight bytes. */
function wrap(encrypts, key, data) {
  if (data.length % 8 !== 0 || data.length < (encrypts ? 16 : 24)) throw failure('The operation failed for an operation-specific reason');
  const block = (bytes) => {
    const cipher = (encrypts ? createCipheriv : createDecipheriv)(cipherName(key, 'ecb'), keyObjectOf(key), null);
    return asBytes(cipher.setAutoPadding(false).update(bytes));
  };
  const pieces = [];
  for (let at = encrypts ? 0 : 8; at < data.length; at += 8) pieces.push(data.slice(at, at + 8));
  let first = encrypts ? INITIAL.slice() : data.slice(0, 8);
  const steps = 6 * pieces.length;
  for (let step = 0; step < steps; step++) {
    const number = encrypts ? step + 1 : steps - step;
    const index = (number - 1) % pieces.length;
    const count = (bytes) => new DataView(bytes.buffer).setUint32(4, new DataView(bytes.buffer).getUint32(4) ^ number);
    if (!encrypts) count(first);
    const mixed = block(concatenate([first, pieces[index]]));
    first = mixed.slice(0, 8);
    pieces[index] = mixed.slice(8);
    if (encrypts) count(first);
  }
  if (encrypts) return concatenate([first, ...pieces]);
  if (first.some((byte) => byte !== 0xa6)) throw failure('The operation failed for an operation-specific reason', 'OperationError', new Error('error:1C800066:Provider routines::cipher operation failed'));
  return concatenate(pieces);
}

const CIPHERS = { 'AES-GCM': gcm, 'AES-CBC': cbc, 'AES-CTR': ctr, 'RSA-OAEP': oaep, 'AES-KW': (encrypts, algorithm, key, data) => wrap(encrypts, key, data) };

/** `usage` is the required key usage. */
export function cipher(usage, encrypts, algorithm, key, data) {
  if (key.algorithm.name !== algorithm.name || !key.usages.includes(usage)) {
    throw failure('The requested operation is not valid for the provided key', 'InvalidAccessError');
  }
  return ownBuffer(CIPHERS[algorithm.name](encrypts, algorithm, key, data));
}
