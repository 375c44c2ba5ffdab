import { invalidArgumentType } from '../shared/errors.js';
import { checkBytes, checkRange, unknownEncoding } from './checks.js';

const { indexOf, subarray, toHex } = Uint8Array.prototype;
const MAX_OFFSET = 0x7fffffff;

/** The index of `needle` in `bytes` from `from` on in steps of `step`; -1 if absent. */
function find(bytes, needle, from, step) {
  const last = bytes.length - needle.length;
  for (let start = step < 0 ? Math.min(from, last) : from; start >= 0 && start <= last; start += step) {
    if (step === 1) {
      start = indexOf.call(bytes, needle[0], start);
      if (start < 0 || start > last) return -1;
    }
    let length = 0;
    while (length < needle.length && bytes[start + length] === needle[length]) length++;
    if (length === needle.length) return start;
  }
  return -1;
}

function search(bytes, value, place, encoding, isForward, fromText) {
  if (typeof place === 'string') [encoding, place] = [place, undefined];
  let offset = Math.max(-MAX_OFFSET, Math.min(MAX_OFFSET, +place));
  if (Number.isNaN(offset)) offset = isForward ? 0 : bytes.length;
  offset = Math.trunc(offset);
  let needle = value;
  if (typeof value === 'number') needle = new Uint8Array([value]);
  else if (typeof value === 'string') needle = fromText(value, encoding);
  else if (!(value instanceof Uint8Array)) {
    throw invalidArgumentType('value', 'one of type number or string or an instance of Buffer or Uint8Array', value);
  }
  if (offset < 0) offset += bytes.length;
  if (offset < 0) {
    if (!isForward) return -1;
    offset = 0;
  }
  if (needle.length === 0) return Math.min(offset, bytes.length);
  const isWide = typeof value === 'string' && /^(ucs-?2|utf-?16le)$/i.test(encoding ?? '');
  if (!isWide) return find(bytes, needle, offset, isForward ? 1 : -1);
  // UTF-16 matches begin at even offsets.
  const even = bytes.length - (bytes.length % 2);
  return find(bytes.subarray(0, even), needle, offset - (offset % 2), isForward ? 2 : -2);
}

const PIECE = 16384;

/** -1, 0 or 1. Long arrays are compared as hexadecimal strings, which is many times faster in QuickJS. */
function compareBytes(a, b) {
  const length = Math.min(a.length, b.length);
  if (length < 64) {
    for (let index = 0; index < length; index++) if (a[index] !== b[index]) return a[index] < b[index] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }
  for (let start = 0; start < length; start += PIECE) {
    const end = Math.min(start + PIECE, length);
    // Hexadecimal digits sort like the bytes.
    const [first, second] = [a, b].map((bytes) => toHex.call(subarray.call(bytes, start, end)));
    if (first !== second) return first < second ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

export function compare(first, second) {
  checkBytes(first, 'buf1');
  checkBytes(second, 'buf2');
  return compareBytes(first, second);
}

export function defineSearch(Buffer) {
  const { prototype } = Buffer;
  const fromText = (text, encoding) => {
    if (encoding !== undefined && encoding !== null && !Buffer.isEncoding(encoding)) throw unknownEncoding(encoding);
    return Buffer.from(text, encoding);
  };
  Object.assign(prototype, {
    indexOf(value, byteOffset, encoding) {
      return search(this, value, byteOffset, encoding, true, fromText);
    },
    lastIndexOf(value, byteOffset, encoding) {
      return search(this, value, byteOffset, encoding, false, fromText);
    },
    includes(value, byteOffset, encoding) {
      return this.indexOf(value, byteOffset, encoding) !== -1;
    },
    equals(otherBuffer) {
      checkBytes(otherBuffer, 'otherBuffer');
      return this === otherBuffer || (this.length === otherBuffer.length && compareBytes(this, otherBuffer) === 0);
    },
    compare(target, targetStart = 0, targetEnd = undefined, sourceStart = 0, sourceEnd = undefined) {
      checkBytes(target, 'target');
      checkRange(targetStart, 'targetStart', 0, Number.MAX_SAFE_INTEGER);
      checkRange((targetEnd ??= target.length), 'targetEnd', 0, target.length);
      checkRange(sourceStart, 'sourceStart', 0, Number.MAX_SAFE_INTEGER);
      checkRange((sourceEnd ??= this.length), 'sourceEnd', 0, this.length);
      const part = (bytes, start, end) => (start >= end ? bytes.subarray(0, 0) : bytes.subarray(start, end));
      return compareBytes(part(this, sourceStart, sourceEnd), part(target, targetStart, targetEnd));
    },
  });
}
