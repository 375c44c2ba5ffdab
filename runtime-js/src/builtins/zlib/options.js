// Checks codec options as Node does.
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';
import { constants } from './constants.js';

const { Z_DEFAULT_CHUNK, Z_MIN_CHUNK, Z_NO_FLUSH, Z_FINISH, Z_BLOCK, BROTLI_OPERATION_PROCESS, BROTLI_OPERATION_FINISH, BROTLI_OPERATION_EMIT_METADATA } = constants;

function numberOption(options, name, least, most, fallback) {
  const value = options[name];
  if (value === undefined || Number.isNaN(value)) return fallback;
  if (typeof value !== 'number') throw invalidArgumentType(`options.${name}`, 'of type number', value);
  if (value < least || value > most || !Number.isFinite(value)) throw outOfRange(`options.${name}`, most === Infinity ? `>= ${least}` : `>= ${least} and <= ${most}`, value);
  return value;
}

/** Options of all codecs. */
export function commonOptions(given, isBrotli) {
  if (given !== undefined && given !== null && typeof given !== 'object') throw invalidArgumentType('options', 'of type object', given);
  const options = given ?? {};
  const lastFlush = isBrotli ? BROTLI_OPERATION_EMIT_METADATA : Z_BLOCK;
  return {
    chunkSize: numberOption(options, 'chunkSize', Z_MIN_CHUNK, Infinity, Z_DEFAULT_CHUNK),
    flush: numberOption(options, 'flush', 0, lastFlush, isBrotli ? BROTLI_OPERATION_PROCESS : Z_NO_FLUSH),
    finishFlush: numberOption(options, 'finishFlush', 0, lastFlush, isBrotli ? BROTLI_OPERATION_FINISH : Z_FINISH),
    maxOutputLength: numberOption(options, 'maxOutputLength', 1, Number.MAX_SAFE_INTEGER, Infinity),
  };
}

/** Options of zlib's own formats. */
export function zlibOptions(options = {}, mode) {
  const unpacks = mode === 'gunzip' || mode === 'inflate' || mode === 'inflateRaw' || mode === 'unzip';
  const windowBits = unpacks && (options?.windowBits ?? 0) === 0 ? 15 : numberOption(options ?? {}, 'windowBits', mode === 'gzip' || mode === 'gunzip' ? 9 : 8, 15, 15);
  const level = numberOption(options ?? {}, 'level', -1, 9, -1);
  numberOption(options ?? {}, 'memLevel', 1, 9, 8);
  numberOption(options ?? {}, 'strategy', 0, 4, 0);
  const { dictionary } = options ?? {};
  if (dictionary !== undefined && !asBytes(dictionary)) {
    throw invalidArgumentType('options.dictionary', 'an instance of Buffer, TypedArray, DataView, or ArrayBuffer', dictionary);
  }
  return { windowBits, level, dictionary: dictionary === undefined ? undefined : asBytes(dictionary) };
}

/** Brotli's parameters by number: `{[constants.BROTLI_PARAM_QUALITY]: 5}`. */
export function brotliOptions({ params = {} } = {}) {
  for (const [key, value] of Object.entries(params ?? {})) {
    const number = Number(key);
    if (!Number.isInteger(number) || number < 0 || number > 9) throw nodeError(RangeError, 'ERR_BROTLI_INVALID_PARAM', `${key} is not a valid Brotli parameter`);
    if (typeof value !== 'number' && typeof value !== 'boolean') throw invalidArgumentType('options.params[key]', 'of type number', value);
  }
  const of = (name, fallback) => Number(params?.[constants[name]] ?? fallback);
  return {
    quality: of('BROTLI_PARAM_QUALITY', constants.BROTLI_DEFAULT_QUALITY),
    windowBits: of('BROTLI_PARAM_LGWIN', constants.BROTLI_DEFAULT_WINDOW),
    mode: of('BROTLI_PARAM_MODE', constants.BROTLI_DEFAULT_MODE),
    sizeHint: of('BROTLI_PARAM_SIZE_HINT', 0),
  };
}

export function inputBytes(data) {
  if (typeof data === 'string') return asBytes(globalThis.Buffer.from(data));
  const bytes = asBytes(data);
  if (bytes) return bytes;
  throw invalidArgumentType('buffer', 'of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer', data);
}
