import { crc32 as crc32Native } from 'lmthing:internal/native/compression';
import { invalidArgumentType } from '../shared/errors.js';
import { bytesOf, openCodec } from '../zlib/codec.js';
import { codes, constants } from '../zlib/constants.js';
import { commonOptions, inputBytes } from '../zlib/options.js';
import { BrotliCompress, BrotliDecompress, Deflate, DeflateRaw, Gunzip, Gzip, Inflate, InflateRaw, tooLarge, Unzip } from '../zlib/streams.js';

const CLASSES = {
  gzip: Gzip, gunzip: Gunzip, deflate: Deflate, inflate: Inflate, deflateRaw: DeflateRaw, inflateRaw: InflateRaw, unzip: Unzip,
  brotliCompress: BrotliCompress, brotliDecompress: BrotliDecompress,
};

function convert(mode, bytes, options) {
  const { finishFlush, maxOutputLength } = commonOptions(options, mode.startsWith('brotli'));
  const output = bytesOf(openCodec(mode, options).process(bytes, finishFlush));
  if (output.length > maxOutputLength) throw tooLarge(maxOutputLength);
  if (!options?.info) return output;
  const engine = new CLASSES[mode](options);
  engine.bytesWritten = bytes.byteLength;
  engine.close();
  return { buffer: output, engine };
}

const sync = (mode) => (buffer, options) => convert(mode, inputBytes(buffer), options);

const asynchronous = (mode) => (buffer, options, callback) => {
  if (typeof options === 'function') [options, callback] = [undefined, options];
  if (typeof callback !== 'function') throw invalidArgumentType('callback', 'of type function', callback);
  const bytes = inputBytes(buffer);
  commonOptions(options, mode.startsWith('brotli'));
  openCodec(mode, options);
  setImmediate(() => {
    let output;
    try {
      output = convert(mode, bytes, options);
    } catch (error) {
      return callback(error);
    }
    return callback(null, output);
  });
};

/** The checksum of gzip; `value` is an earlier checksum to continue. */
export function crc32(data, value = 0) {
  if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw invalidArgumentType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
  if (typeof value !== 'number') throw invalidArgumentType('value', 'of type number', value);
  return crc32Native(inputBytes(data), value);
}

export const deflate = asynchronous('deflate');
export const deflateSync = sync('deflate');
export const gzip = asynchronous('gzip');
export const gzipSync = sync('gzip');
export const deflateRaw = asynchronous('deflateRaw');
export const deflateRawSync = sync('deflateRaw');
export const unzip = asynchronous('unzip');
export const unzipSync = sync('unzip');
export const inflate = asynchronous('inflate');
export const inflateSync = sync('inflate');
export const gunzip = asynchronous('gunzip');
export const gunzipSync = sync('gunzip');
export const inflateRaw = asynchronous('inflateRaw');
export const inflateRawSync = sync('inflateRaw');
export const brotliCompress = asynchronous('brotliCompress');
export const brotliCompressSync = sync('brotliCompress');
export const brotliDecompress = asynchronous('brotliDecompress');
export const brotliDecompressSync = sync('brotliDecompress');

export const createDeflate = (options) => new Deflate(options);
export const createInflate = (options) => new Inflate(options);
export const createDeflateRaw = (options) => new DeflateRaw(options);
export const createInflateRaw = (options) => new InflateRaw(options);
export const createGzip = (options) => new Gzip(options);
export const createGunzip = (options) => new Gunzip(options);
export const createUnzip = (options) => new Unzip(options);
export const createBrotliCompress = (options) => new BrotliCompress(options);
export const createBrotliDecompress = (options) => new BrotliDecompress(options);

export { BrotliCompress, BrotliDecompress, codes, constants, Deflate, DeflateRaw, Gunzip, Gzip, Inflate, InflateRaw, Unzip };

const zlib = {
  crc32, Deflate, Inflate, Gzip, Gunzip, DeflateRaw, InflateRaw, Unzip, BrotliCompress, BrotliDecompress,
  deflate, deflateSync, gzip, gzipSync, deflateRaw, deflateRawSync, unzip, unzipSync, inflate, inflateSync, gunzip, gunzipSync,
  inflateRaw, inflateRawSync, brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync,
  createDeflate, createInflate, createDeflateRaw, createInflateRaw, createGzip, createGunzip, createUnzip, createBrotliCompress, createBrotliDecompress,
};
Object.defineProperty(zlib, 'constants', { value: constants, enumerable: true });
Object.defineProperty(zlib, 'codes', { value: codes, enumerable: true });
// Old programs read zlib's constants from the module itself.
for (const [name, value] of Object.entries(constants)) Object.defineProperty(zlib, name, { value });
export default zlib;
