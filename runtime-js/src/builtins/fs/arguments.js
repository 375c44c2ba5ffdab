// The arguments that file functions share: paths, options, encodings, data.
import { encodeUtf8, decodeUtf8 } from 'lmthing:internal/native/encoding';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

/** A path given as text, bytes or a `file:` URL, as text. */
export function pathText(value, name = 'path') {
  let text = value;
  if (value instanceof Uint8Array) text = decodeUtf8(asBytes(value));
  else if (typeof value === 'object' && value?.href && value.protocol) text = fileUrlText(value);
  if (typeof text !== 'string') {
    throw invalidArgumentType(name, 'of type string or an instance of Buffer or URL', value);
  }
  if (text.includes('\0')) {
    const message = `The argument '${name}' must be a string, Uint8Array, or URL without null bytes. Received ${JSON.stringify(text).replaceAll('\\u0000', '\\x00').replaceAll('"', "'")}`;
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message);
  }
  return text;
}

function fileUrlText(url) {
  if (url.protocol !== 'file:') throw nodeError(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  const text = decodeURIComponent(url.pathname);
  return process.platform === 'win32' ? text.slice(1).replaceAll('/', '\\') : text;
}

/** Options given as an object or, for short, as the encoding. */
export function optionsOf(options, defaults = {}) {
  if (options === undefined || options === null || typeof options === 'function') return { ...defaults };
  if (typeof options === 'string') return { ...defaults, encoding: checkedEncoding(options) };
  if (typeof options !== 'object') throw invalidArgumentType('options', 'one of type string or object', options);
  options.signal?.throwIfAborted?.();
  if (options.encoding) checkedEncoding(options.encoding);
  return { ...defaults, ...options };
}

const isUtf8 = (encoding) => /^utf-?8$/i.test(encoding);

function checkedEncoding(encoding) {
  if (encoding === 'buffer' || isUtf8(encoding) || globalThis.Buffer.isEncoding(encoding)) return encoding;
  const message = `The argument 'encoding' is invalid encoding. Received '${encoding}'`;
  throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message);
}

/** Bytes as the caller wants them: text of the encoding, else a `Buffer`. `Buffer` is loaded only when it is needed. */
export function decoded(bytes, encoding) {
  if (encoding && isUtf8(encoding)) return decodeUtf8(bytes);
  const buffer = globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
}

/** Data to write as bytes. */
export function dataBytes(data, encoding) {
  if (typeof data === 'string') {
    return isUtf8(encoding ?? 'utf8') ? encodeUtf8(data.toWellFormed()) : asBytes(globalThis.Buffer.from(data, encoding));
  }
  const bytes = asBytes(data);
  if (bytes && !(data instanceof ArrayBuffer)) return bytes;
  throw invalidArgumentType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
}

/** A file mode given as a number or as octal text. */
export function modeOf(mode, fallback) {
  if (mode === undefined || mode === null) return fallback;
  const number = typeof mode === 'string' ? Number.parseInt(mode, 8) : mode;
  if (Number.isInteger(number) && number >= 0) return number;
  throw invalidArgumentType('mode', 'of type number', mode);
}

/** A time given as a `Date`, in seconds, or as text, in milliseconds. */
export function milliseconds(time) {
  if (time instanceof Date) return time.getTime();
  const seconds = Number(time);
  if (Number.isNaN(seconds)) throw invalidArgumentType('time', 'of type number or an instance of Date', time);
  return seconds * 1000;
}
