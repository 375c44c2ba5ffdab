// DER, the encoding of keys: reader and writer for the ASN.1 types that keys use.
import { concatenate } from '../shared/bytes.js';

export const TAG = { integer: 0x02, bits: 0x03, octets: 0x04, none: 0x05, oid: 0x06, sequence: 0x30 };

/** Malformed DER, or an unexpected structure. */
export class DerError extends Error {}

/** The element at `start`: `{tag, content, whole, end}`. */
function elementAt(bytes, start) {
  let at = start;
  const next = () => {
    if (at >= bytes.length) throw new DerError('not enough data');
    return bytes[at++];
  };
  const tag = next();
  let length = next();
  if (length >= 0x80) {
    const size = length & 0x7f;
    if (size === 0 || size > 4) throw new DerError('too long');
    length = 0;
    for (let index = 0; index < size; index++) length = length * 256 + next();
  }
  if (at + length > bytes.length) throw new DerError('not enough data');
  const end = at + length;
  return { tag, content: bytes.subarray(at, end), whole: bytes.subarray(start, end), end };
}

/** Reads the elements of a sequence, or the top-level element, in order. */
export class Reader {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isAtEnd() {
    return this.#at >= this.#bytes.length;
  }

  /** The tag of the next element; `undefined` at the end. */
  get tag() {
    return this.#bytes[this.#at];
  }

  element(tag = undefined) {
    const element = elementAt(this.#bytes, this.#at);
    if (tag !== undefined && element.tag !== tag) throw new DerError('wrong tag');
    this.#at = element.end;
    return element;
  }

  within(tag = TAG.sequence) {
    return new Reader(this.element(tag).content);
  }

  /** An unsigned number, without leading zeros. */
  integer() {
    return trimmed(this.element(TAG.integer).content);
  }

  octets() {
    return this.element(TAG.octets).content;
  }

  /** A bit string of whole bytes. */
  bits() {
    const { content } = this.element(TAG.bits);
    if (content[0] !== 0) throw new DerError('wrong bits');
    return content.subarray(1);
  }

  oid() {
    const numbers = [];
    let number = 0;
    for (const byte of this.element(TAG.oid).content) {
      number = number * 128 + (byte & 0x7f);
      if (byte & 0x80) continue;
      numbers.push(number);
      number = 0;
    }
    const first = Math.min(Math.floor(numbers[0] / 40), 2);
    return [first, numbers[0] - first * 40, ...numbers.slice(1)].join('.');
  }
}

export function trimmed(bytes) {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  return bytes.subarray(start);
}

export function element(tag, ...parts) {
  const content = concatenate([new Uint8Array(0), ...parts]);
  const length = [];
  for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256);
  const header = content.length < 0x80 ? [tag, content.length] : [tag, 0x80 | length.length, ...length];
  return concatenate([new Uint8Array(header), content]);
}

export const sequence = (...parts) => element(TAG.sequence, ...parts);
export const octets = (...parts) => element(TAG.octets, ...parts);
export const bits = (bytes) => element(TAG.bits, new Uint8Array(1), bytes);
export const none = () => element(TAG.none);

/** An unsigned number: a leading zero keeps the first bit from being the sign. */
export function integer(value) {
  const bytes = typeof value === 'number' ? new Uint8Array([value >> 8, value & 0xff]) : value;
  const plain = trimmed(bytes.length ? bytes : new Uint8Array(1));
  return element(TAG.integer, plain[0] & 0x80 ? concatenate([new Uint8Array(1), plain]) : plain);
}

export function oid(text) {
  const [first, second, ...rest] = text.split('.').map(Number);
  const bytes = [];
  for (const number of [first * 40 + second, ...rest]) {
    const digits = [number & 0x7f];
    for (let high = Math.floor(number / 128); high > 0; high = Math.floor(high / 128)) digits.unshift((high & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return element(TAG.oid, new Uint8Array(bytes));
}
