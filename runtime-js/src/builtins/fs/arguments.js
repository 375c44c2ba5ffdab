// Arguments shared by file functions: paths, options, encodings, data.
import { encodeUtf8, decodeUtf8 } from 'lmthing:internal/native/encoding';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';
import { constants } from './constants.js';

/** A path given as string, bytes or `file:` URL. */
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
  return text.toWellFormed();
}

function fileUrlText(url) {
  if (url.protocol !== 'file:') throw nodeError(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  const text = decodeURIComponent(url.pathname);
  return process.platform === 'win32' ? text.slice(1).replaceAll('/', '\\') : text;
}

/** Options given as an object or as an encoding. */
export function optionsOf(options, defaults = {}) {
  if (options === undefined || options === null || typeof options === 'function') return { ...defaults };
  if (typeof options === 'string') return { ...defaults, encoding: checkedEncoding(options) };
  if (typeof options !== 'object') throw invalidArgumentType('options', 'one of type string or object', options);
  if (options.signal?.aborted) throw abortError(options.signal);
  if (options.encoding) checkedEncoding(options.encoding);
  return { ...defaults, ...options };
}

export function abortError(signal) {
  const error = new Error('The operation was aborted', { cause: signal?.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY } = constants;
const FLAGS = {
  r: O_RDONLY, rs: O_RDONLY | O_SYNC, 'r+': O_RDWR, 'rs+': O_RDWR | O_SYNC,
  w: O_TRUNC | O_CREAT | O_WRONLY, wx: O_TRUNC | O_CREAT | O_WRONLY | O_EXCL, 'w+': O_TRUNC | O_CREAT | O_RDWR, 'wx+': O_TRUNC | O_CREAT | O_RDWR | O_EXCL,
  a: O_APPEND | O_CREAT | O_WRONLY, ax: O_APPEND | O_CREAT | O_WRONLY | O_EXCL, as: O_APPEND | O_CREAT | O_WRONLY | O_SYNC,
  'a+': O_APPEND | O_CREAT | O_RDWR, 'ax+': O_APPEND | O_CREAT | O_RDWR | O_EXCL, 'as+': O_APPEND | O_CREAT | O_RDWR | O_SYNC,
};
for (const [turned, name] of [['sr', 'rs'], ['sr+', 'rs+'], ['xw', 'wx'], ['xw+', 'wx+'], ['xa', 'ax'], ['xa+', 'ax+'], ['sa', 'as'], ['sa+', 'as+']]) FLAGS[turned] = FLAGS[name];

/** Open flags given in Node's letters or as a number. */
export function flagsOf(flags, fallback = 'r') {
  const given = flags ?? fallback;
  if (Number.isInteger(given)) return given;
  if (Object.hasOwn(FLAGS, given)) return FLAGS[given];
  throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'flags' is invalid. Received ${typeof given === 'string' ? `'${given}'` : String(given)}`);
}

export function descriptorOf(value, name = 'fd') {
  if (typeof value !== 'number') throw invalidArgumentType(name, 'of type number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < 0 || value > 2147483647) throw outOfRange(name, '>= 0 && <= 2147483647', value);
  return value;
}

export const isUtf8 = (encoding) => /^utf-?8$/i.test(encoding);

function checkedEncoding(encoding) {
  if (encoding === 'buffer' || isUtf8(encoding) || globalThis.Buffer.isEncoding(encoding)) return encoding;
  const message = `The argument 'encoding' is invalid encoding. Received '${encoding}'`;
  throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message);
}

/** Bytes decoded, or as a `Buffer` without an encoding. `Buffer` is loaded only when needed. */
export function decoded(bytes, encoding) {
  if (typeof bytes === 'string') return bytes;
  if (encoding && isUtf8(encoding)) return decodeUtf8(bytes);
  const buffer = globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
}

export function dataBytes(data, encoding) {
  if (typeof data === 'string') {
    return isUtf8(encoding ?? 'utf8') ? encodeUtf8(data.toWellFormed()) : asBytes(globalThis.Buffer.from(data, encoding));
  }
  const bytes = asBytes(data);
  if (bytes && !(data instanceof ArrayBuffer)) return bytes;
  throw invalidArgumentType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
}

/** A file mode given as a number or octal string. */
export function modeOf(mode, fallback) {
  if (mode === undefined || mode === null) return fallback;
  if (typeof mode === 'string') {
    if (/^[0-7]+$/.test(mode)) return Number.parseInt(mode, 8);
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'mode' must be a 32-bit unsigned integer or an octal string. Received '${mode}'`);
  }
  if (Number.isInteger(mode) && mode >= 0) return mode;
  throw invalidArgumentType('mode', 'of type number', mode);
}

/** A time given as a `Date`, or in seconds as number or string. */
export function milliseconds(time) {
  if (time instanceof Date) return time.getTime();
  const seconds = typeof time === 'string' && time.trim() === '' ? NaN : Number(time);
  if (Number.isNaN(seconds)) throw invalidArgumentType('time', 'of type number or an instance of Date', time);
  return seconds * 1000;
}

export function ownerOf(value, name) {
  if (typeof value !== 'number') throw invalidArgumentType(name, 'of type number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < -1 || value > 4294967295) throw outOfRange(name, '>= -1 && <= 4294967295', value);
  return value >>> 0;
}

export function lengthOf(length) {
  if (length === undefined || length === null) return 0;
  if (typeof length !== 'number') throw invalidArgumentType('len', 'of type number', length);
  if (!Number.isInteger(length)) throw outOfRange('len', 'an integer', length);
  return Math.max(0, length);
}
