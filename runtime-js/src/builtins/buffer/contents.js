// Methods that change the bytes of a `Buffer`: `fill`, `copy`, `write`, and the `…Slice` and `…Write` methods of each
// encoding.
import { encodeUtf8 } from 'lmthing:internal/native/encoding';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { checkInteger, invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';
import { BYTES, checkNumber, checkRange, unknownEncoding } from './checks.js';

const ENCODINGS = ['ascii', 'base64', 'base64url', 'hex', 'latin1', 'ucs2', 'utf8'];

const whole = (value, fallback) => (value === undefined ? fallback : Math.trunc(+value) || 0);

/** The npm package's own implementation, which its `from` relies on. */
let baseWrite;

/** Writes pairs of digits up to the first invalid one. */
function writeHex(buffer, text, offset, space) {
  const [digits] = /^(?:[0-9a-f]{2})*/i.exec(text.slice(0, space * 2));
  const bytes = Uint8Array.fromHex(digits);
  buffer.set(bytes, offset);
  return bytes.length;
}

function writeText(buffer, text, offset, length, encoding = 'utf8') {
  const space = Math.max(Math.min(length, buffer.length - offset), 0);
  if (/^base64url$/i.test(encoding)) {
    return baseWrite.call(buffer, text.replaceAll('-', '+').replaceAll('_', '/'), offset, space, 'base64');
  }
  if (encoding === 'hex') return writeHex(buffer, text, offset, space);
  if (!/^utf-?8$/i.test(encoding)) return baseWrite.call(buffer, text, offset, space, encoding);
  const bytes = encodeUtf8(text.toWellFormed());
  let count = Math.min(bytes.length, space);
  // Writes no partial characters.
  while (count < bytes.length && count > 0 && (bytes[count] & 0xc0) === 0x80) count--;
  buffer.set(bytes.subarray(0, count), offset);
  return count;
}

function fillWith(Buffer, buffer, value, start, end, encoding) {
  let bytes = value;
  if (typeof value === 'string') bytes = Buffer.from(value, encoding);
  if (!ArrayBuffer.isView(bytes)) return Uint8Array.prototype.fill.call(buffer, Number(value) & 255, start, end);
  if (bytes.byteLength === 0) {
    const { inspect } = importBuiltin('lmthing:internal/inspect');
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'value' is invalid. Received ${inspect(value)}`);
  }
  const pattern = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  buffer.set(pattern.subarray(0, end - start), start);
  // Copies the filled part behind itself, doubling it each time.
  for (let filled = pattern.length; filled < end - start; filled *= 2) {
    buffer.copyWithin(start + filled, start, Math.min(start + filled, end - filled));
  }
  return buffer;
}

export function defineContents(Buffer) {
  baseWrite = Buffer.prototype.write;
  Object.assign(Buffer.prototype, {
    fill(value, offset, end, encoding) {
      if (typeof value === 'string') {
        if (offset === undefined || typeof offset === 'string') [encoding, offset, end] = [offset, 0, this.length];
        else if (typeof end === 'string') [encoding, end] = [end, this.length];
        if (encoding !== undefined && encoding !== null && !Buffer.isEncoding(encoding)) throw unknownEncoding(encoding);
        if (value.length === 0) value = 0;
      }
      if (offset === undefined) [offset, end] = [0, this.length];
      else checkInteger(offset, 'offset', 0, 2 ** 32);
      if (end === undefined) end = this.length;
      else checkInteger(end, 'end', 0, this.length);
      return offset >= end ? this : fillWith(Buffer, this, value, offset, end, encoding);
    },
    copy(target, targetStart, sourceStart, sourceEnd) {
      if (!(target instanceof Uint8Array)) throw invalidArgumentType('target', BYTES, target);
      const [to, from, end] = [whole(targetStart, 0), whole(sourceStart, 0), whole(sourceEnd, this.length)];
      if (to < 0) throw outOfRange('targetStart', '>= 0', to);
      if (from < 0 || from > this.length) throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, from);
      if (end < 0) throw outOfRange('sourceEnd', '>= 0', end);
      const count = Math.min(end, this.length) - from;
      if (to >= target.byteLength || count <= 0) return 0;
      const into = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
      const part = this.subarray(from, from + Math.min(count, into.length - to));
      into.set(part, to);
      return part.length;
    },
    write(text, offset, length, encoding) {
      if (typeof text !== 'string') throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
      if (offset === undefined) return writeText(this, text, 0, this.length);
      if (typeof offset === 'string' && length === undefined) [encoding, offset, length] = [offset, 0, this.length];
      else {
        checkRange(offset, 'offset', 0, this.length);
        if (typeof length === 'string') [encoding, length] = [length, undefined];
        if (length === undefined) length = this.length - offset;
        else checkRange(length, 'length', 0, this.length);
      }
      if (encoding && !Buffer.isEncoding(encoding)) throw unknownEncoding(encoding);
      return writeText(this, text, offset, length, encoding || undefined);
    },
  });
  for (const encoding of ENCODINGS) {
    Buffer.prototype[`${encoding}Slice`] = function (start, end) {
      return this.toString(encoding, start, end);
    };
    Buffer.prototype[`${encoding}Write`] = function (text, offset = 0, length = this.length - offset) {
      checkNumber(offset, 'offset');
      return writeText(this, text, offset, length, encoding);
    };
  }
}
