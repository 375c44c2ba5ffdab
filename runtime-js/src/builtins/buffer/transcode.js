// `buffer.transcode`, `isAscii`, `isUtf8`.
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { checkBytes } from './checks.js';

const TRANSCODED = /^(ascii|latin1|binary|ucs-?2|utf-?16le|utf-?8)$/i;

/** Replaces characters outside of a one-byte encoding by question marks. */
function oneByte(text, limit) {
  return Uint8Array.from(text, (character) => (character.codePointAt(0) < limit ? character.charCodeAt(0) : 0x3f));
}

export function transcode(source, from, to) {
  checkBytes(source, 'source');
  const { Buffer } = globalThis;
  if (!TRANSCODED.test(from) || !TRANSCODED.test(to)) {
    const code = 'U_ILLEGAL_ARGUMENT_ERROR';
    throw Object.assign(new Error(`Unable to transcode Buffer [${code}]`), { code, errno: 1 });
  }
  const text = Buffer.from(source).toString(from);
  if (/^ascii$/i.test(to)) return Buffer.from(oneByte(text, 0x80));
  if (/^(latin1|binary)$/i.test(to)) return Buffer.from(oneByte(text, 0x100));
  return Buffer.from(text, to);
}

function bytesOf(input) {
  const isBytes = input instanceof ArrayBuffer || (ArrayBuffer.isView(input) && !(input instanceof DataView));
  if (!isBytes) throw invalidArgumentType('input', 'an instance of ArrayBuffer, Buffer, or TypedArray', input);
  return asBytes(input);
}

export function isUtf8(input) {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(input));
    return true;
  } catch (error) {
    if (error.code === 'ERR_INVALID_ARG_TYPE') throw error;
    return false;
  }
}

export const isAscii = (input) => bytesOf(input).every((byte) => byte < 0x80);
