// `node:buffer`: the npm `buffer` package, with what Node has since added and with the slow parts done in Rust.
import { Buffer as BaseBuffer, INSPECT_MAX_BYTES, kMaxLength, SlowBuffer } from 'buffer';
import { decodeUtf8, encodeUtf8 } from 'lmthing:internal/native/encoding';
import { Blob, File } from 'lmthing:internal/web/blob';
import { brand } from '../shared/brand.js';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const Buffer = BaseBuffer;
const { atob, btoa } = globalThis;
const base = { from: Buffer.from, byteLength: Buffer.byteLength, isEncoding: Buffer.isEncoding };
const proto = Buffer.prototype;
const baseProto = { toString: proto.toString, write: proto.write, fill: proto.fill, indexOf: proto.indexOf };

const isUtf8 = (encoding) => encoding === undefined || encoding === null || /^utf-?8$/i.test(encoding);
const isBase64Url = (encoding) => typeof encoding === 'string' && encoding.toLowerCase() === 'base64url';
const toBase64 = (text) => text.replaceAll('-', '+').replaceAll('_', '/');
const wrap = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function checkEncoding(encoding) {
  if (encoding === undefined || encoding === null || encoding === '' || Buffer.isEncoding(encoding)) return;
  throw nodeError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
}

Buffer.isEncoding = (encoding) => isBase64Url(encoding) || base.isEncoding(encoding);

Buffer.from = function from(value, encodingOrOffset, length) {
  if (typeof value === 'string') {
    checkEncoding(encodingOrOffset);
    if (isUtf8(encodingOrOffset) || encodingOrOffset === '') return wrap(encodeUtf8(value.toWellFormed()));
    if (isBase64Url(encodingOrOffset)) return base.from(toBase64(value), 'base64');
  }
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'symbol' || typeof value === 'bigint' || typeof value === 'function') {
    const expected = 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object';
    throw firstArgument(expected, value);
  }
  return base.from(value, encodingOrOffset, length);
};

function firstArgument(expected, value) {
  const error = invalidArgumentType('first', expected, value);
  error.message = error.message.replace('The "first" argument', 'The first argument');
  return error;
}

Buffer.copyBytesFrom = function copyBytesFrom(view, offset = 0, length = view.length - offset) {
  const part = view.subarray ? view.subarray(offset, offset + length) : view;
  return Buffer.from(asBytes(part).slice());
};

Buffer.byteLength = function byteLength(value, encoding) {
  if (typeof value === 'string') {
    if (isBase64Url(encoding)) return base.byteLength(toBase64(value), 'base64');
    if (isUtf8(encoding)) return encodeUtf8(value.toWellFormed()).length;
  }
  return base.byteLength(value, encoding);
};

proto.toString = function toString(encoding, start, end) {
  checkEncoding(encoding);
  const part = () => asBytes(this.subarray(Math.max(start ?? 0, 0), Math.max(end ?? this.length, 0)));
  if (isUtf8(encoding) || encoding === '') return decodeUtf8(part());
  if (isBase64Url(encoding)) return part().toBase64({ alphabet: 'base64url', omitPadding: true });
  switch (encoding.toLowerCase()) {
    case 'base64':
      return part().toBase64();
    case 'hex':
      return part().toHex();
    default:
      return baseProto.toString.call(this, encoding, start ?? 0, end ?? this.length);
  }
};
proto.toLocaleString = proto.toString;

proto.write = function write(text, ...rest) {
  if (isBase64Url(rest.at(-1))) return baseProto.write.call(this, toBase64(text), ...rest.slice(0, -1), 'base64');
  return baseProto.write.call(this, text, ...rest);
};

brand(Buffer, 'Buffer', false);

const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 0x1fffffe8 };

function isUtf8Bytes(input) {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(input);
    return true;
  } catch {
    return false;
  }
}
const isAscii = (input) => asBytes(input).every((byte) => byte < 0x80);

function transcode(source, from, to) {
  return Buffer.from(Buffer.from(source).toString(from), to);
}

export { atob, Blob, btoa, Buffer, constants, File, INSPECT_MAX_BYTES, isAscii, isUtf8Bytes as isUtf8, kMaxLength, SlowBuffer, transcode };
export default { atob, Blob, btoa, Buffer, constants, File, INSPECT_MAX_BYTES, isAscii, isUtf8: isUtf8Bytes, kMaxLength, SlowBuffer, transcode };
