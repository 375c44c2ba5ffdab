// `node:buffer`: the npm `buffer` package with Node's additions and errors; slow parts are native.
import { Buffer as BaseBuffer, SlowBuffer } from 'buffer';
import { decodeUtf8, encodeUtf8 } from 'lmthing:internal/native/encoding';
import { Blob, File } from 'lmthing:internal/web/blob';
import { resolveObjectURL } from 'lmthing:internal/web/object-urls';
import { checkBytes, checkRange, unknownEncoding } from '../buffer/checks.js';
import { defineContents } from '../buffer/contents.js';
import { defineInspection, defineLimit, INSPECT_MAX_BYTES } from '../buffer/inspection.js';
import { defineNumbers } from '../buffer/numbers.js';
import { compare, defineSearch } from '../buffer/search.js';
import { isAscii, isUtf8 as isUtf8Bytes, transcode } from '../buffer/transcode.js';
import { brand } from '../shared/brand.js';
import { asBytes } from '../shared/bytes.js';
import { checkInteger, invalidArgumentType, nodeError } from '../shared/errors.js';

const Buffer = BaseBuffer;
// Node has removed it; jsdom takes one that has it for a Buffer of a browser.
delete Buffer.TYPED_ARRAY_SUPPORT;
const { atob, btoa } = globalThis;
const base = { from: Buffer.from, byteLength: Buffer.byteLength, isEncoding: Buffer.isEncoding };
const proto = Buffer.prototype;
const baseToString = proto.toString;
const MAX_LENGTH = 2 ** 32;
const MAX_STRING_LENGTH = 0x1fffffe8;

const isUtf8 = (encoding) => encoding === undefined || encoding === null || /^utf-?8$/i.test(encoding);
const isBase64Url = (encoding) => typeof encoding === 'string' && encoding.toLowerCase() === 'base64url';
const toBase64 = (text) => text.replaceAll('-', '+').replaceAll('_', '/');
const wrap = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function checkEncoding(encoding) {
  if (encoding === undefined || encoding === null || encoding === '' || Buffer.isEncoding(encoding)) return;
  throw unknownEncoding(encoding);
}

Buffer.isEncoding = (encoding) => isBase64Url(encoding) || base.isEncoding(encoding);

Buffer.from = function from(value, encodingOrOffset, length) {
  if (typeof value === 'string') {
    checkEncoding(encodingOrOffset);
    if (isUtf8(encodingOrOffset) || encodingOrOffset === '') return wrap(encodeUtf8(value.toWellFormed()));
    return isBase64Url(encodingOrOffset) ? base.from(toBase64(value), 'base64') : base.from(value, encodingOrOffset);
  }
  if (typeof value !== 'object' || value === null) throw unusable(value);
  if (value instanceof ArrayBuffer) checkPart(value, encodingOrOffset, length);
  return fromObject(value, encodingOrOffset, length) ?? base.from(value, encodingOrOffset, length);
};

/** The primitive value of an object; undefined when it is bytes or an array. */
function fromObject(value, encoding, length) {
  const primitive = value.valueOf?.();
  if (primitive !== null && primitive !== value && (typeof primitive === 'string' || typeof primitive === 'object')) {
    return Buffer.from(primitive, encoding, length);
  }
  const isList = value.length !== undefined || ArrayBuffer.isView(value) || Object.prototype.toString.call(value).includes('ArrayBuffer');
  if (isList || (value.type === 'Buffer' && Array.isArray(value.data))) return undefined;
  const text = value[Symbol.toPrimitive]?.('string');
  if (typeof text === 'string') return Buffer.from(text, encoding);
  throw unusable(value);
}

function checkPart(buffer, offset, length) {
  const outside = (name) => nodeError(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', `"${name}" is outside of buffer bounds`);
  const start = Number(offset) || 0;
  if (start > buffer.byteLength) throw outside('offset');
  if (length !== undefined && Number(length) > buffer.byteLength - start) throw outside('length');
}

function unusable(value) {
  const expected = 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object';
  const message = invalidArgumentType('first', expected, value).message.replace('The "first" argument', 'The first argument');
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', message);
}

for (const name of ['alloc', 'allocUnsafe', 'allocUnsafeSlow']) {
  const allocate = Buffer[name];
  Buffer[name] = {
    [name](size, fill, encoding) {
      checkRange(size, 'size', 0, MAX_LENGTH);
      if (name !== 'alloc' || fill === undefined || fill === 0) return allocate.call(Buffer, Math.trunc(size));
      return allocate.call(Buffer, Math.trunc(size)).fill(fill, encoding);
    },
  }[name];
}

Buffer.of = (...bytes) => Buffer.from(bytes);
Buffer.isBuffer = (value) => value instanceof Buffer;
Buffer.compare = compare;

Buffer.concat = function concat(list, length = undefined) {
  if (!Array.isArray(list)) throw invalidArgumentType('list', 'an instance of Array', list);
  if (length !== undefined) checkInteger(length, 'length', 0, MAX_LENGTH);
  if (list.length === 0) return Buffer.alloc(0);
  const whole = Buffer.alloc(length ?? list.reduce((size, part) => size + (part?.length || 0), 0));
  let offset = 0;
  list.forEach((part, index) => {
    checkBytes(part, `list[${index}]`);
    whole.set(part.subarray(0, Math.max(whole.length - offset, 0)), Math.min(offset, whole.length));
    offset += part.length;
  });
  return whole;
};

Buffer.copyBytesFrom = function copyBytesFrom(view, offset = 0, length = undefined) {
  if (!ArrayBuffer.isView(view) || view instanceof DataView) throw invalidArgumentType('view', 'an instance of TypedArray', view);
  checkInteger(offset, 'offset', 0);
  if (length !== undefined) checkInteger(length, 'length', 0);
  const part = view.subarray(offset, length === undefined ? undefined : offset + length);
  return Buffer.from(asBytes(part).slice());
};

Buffer.byteLength = function byteLength(value, encoding) {
  if (typeof value === 'string') {
    if (isUtf8(encoding) || !Buffer.isEncoding(encoding)) return encodeUtf8(value.toWellFormed()).length;
    // Computed from the length alone, as in Node.
    if (/^base64(url)?$/i.test(encoding)) return (value.replace(/={1,2}$/, '').length * 3) >>> 2;
    return base.byteLength(value, encoding);
  }
  if (ArrayBuffer.isView(value) || /ArrayBuffer\]$/.test(Object.prototype.toString.call(value))) return value.byteLength;
  throw invalidArgumentType('string', 'of type string or an instance of Buffer or ArrayBuffer', value);
};

proto.toString = function toString(encoding, start, end) {
  checkEncoding(encoding);
  const part = () => asBytes(this.subarray(Math.max(start ?? 0, 0), Math.max(end ?? this.length, 0)));
  if (isUtf8(encoding) || encoding === '') return decodeUtf8(part());
  if (isBase64Url(encoding)) return part().toBase64({ alphabet: 'base64url', omitPadding: true });
  switch (String(encoding).toLowerCase()) {
    case 'base64':
      return part().toBase64();
    case 'hex':
      return part().toHex();
    default:
      return baseToString.call(this, encoding, start ?? 0, end ?? this.length);
  }
};
proto.toLocaleString = proto.toString;

proto.subarray = function subarray(start, end) {
  return Object.setPrototypeOf(Uint8Array.prototype.subarray.call(this, start, end), proto);
};
for (const bytes of [2, 4, 8]) {
  const name = `swap${bytes * 8}`;
  const swap = proto[name];
  proto[name] = {
    [name]() {
      if (this.length % bytes === 0) return swap.call(this);
      throw nodeError(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${bytes * 8}-bits`);
    },
  }[name];
}
defineNumbers(proto);
defineSearch(Buffer);
defineContents(Buffer);
defineInspection(Buffer);

brand(Buffer, 'Buffer', false);
brand(SlowBuffer, 'SlowBuffer', false);

const constants = { MAX_LENGTH, MAX_STRING_LENGTH };
const kMaxLength = MAX_LENGTH;
const kStringMaxLength = MAX_STRING_LENGTH;

export { atob, Blob, btoa, Buffer, constants, File, INSPECT_MAX_BYTES, isAscii, isUtf8Bytes as isUtf8, kMaxLength, kStringMaxLength, resolveObjectURL, SlowBuffer, transcode };
const module = { atob, Blob, btoa, Buffer, constants, File, isAscii, isUtf8: isUtf8Bytes, kMaxLength, kStringMaxLength, resolveObjectURL, SlowBuffer, transcode };
export default defineLimit(module);
