// The stream classes `Gzip`, `Gunzip`, …, callable without `new` and from other classes' constructors.
import { Transform, finished } from 'node:stream';
import { asBytes } from '../shared/bytes.js';
import { nodeError } from '../shared/errors.js';
import { bytesOf, openCodec } from './codec.js';
import { constants } from './constants.js';
import { commonOptions, zlibOptions } from './options.js';

const CODEC = Symbol('codec');
const SETTINGS = Symbol('settings');
/** Empty writes that represent a flush, with its mode. */
const flushes = new WeakMap();

function begin(stream, mode, options) {
  const settings = commonOptions(options, mode.startsWith('brotli'));
  const codec = openCodec(mode, options);
  Transform.call(stream, { autoDestroy: true, ...options });
  stream[CODEC] = codec;
  stream[SETTINGS] = settings;
  stream.bytesWritten = 0;
  showInside(stream);
  stream._level = options?.level ?? constants.Z_DEFAULT_COMPRESSION;
  stream._strategy = options?.strategy ?? constants.Z_DEFAULT_STRATEGY;
  stream._chunkSize = settings.chunkSize;
}

/** Node's private members, which minizlib (of `tar`) and pngjs use; with `_processChunk`. */
function showInside(stream) {
  let rest = globalThis.Buffer.alloc(0);
  const handle = {
    close() {},
    writeSync(flush, input, inOffset, inCount, output, outOffset, outCount) {
      if (inCount > 0 || rest.length === 0) {
        const given = inCount > 0 ? asBytes(input).subarray(inOffset, inOffset + inCount) : new Uint8Array(0);
        rest = globalThis.Buffer.concat([rest, bytesOf(stream[CODEC].process(given, flush))]);
      }
      const part = rest.subarray(0, outCount);
      output.set(part, outOffset);
      rest = rest.subarray(part.length);
      stream._writeState[0] = outCount - part.length;
      stream._writeState[1] = 0;
    },
  };
  const inside = { _handle: handle, _writeState: new Uint32Array(2), _outOffset: 0 };
  for (const [name, value] of Object.entries(inside)) Object.defineProperty(stream, name, { value, writable: true, configurable: true });
}

export function ZlibBase() {}
Object.setPrototypeOf(ZlibBase.prototype, Transform.prototype);
Object.setPrototypeOf(ZlibBase, Transform);

function process(stream, bytes, flush, callback) {
  let output;
  try {
    output = bytesOf(stream[CODEC].process(bytes, flush));
  } catch (error) {
    return callback(error);
  }
  stream.bytesWritten += bytes.byteLength;
  return give(stream, output, callback);
}

/** Passes on output in chunks with backpressure, like Node, which produces each chunk on demand. */
function give(stream, output, callback) {
  if (stream.destroyed) return undefined;
  const { chunkSize } = stream[SETTINGS];
  if (output.length === 0) return callback();
  const wantsMore = stream.push(output.subarray(0, chunkSize));
  const rest = output.subarray(chunkSize);
  if (rest.length === 0) return callback();
  const goOn = () => setImmediate(give, stream, rest, callback);
  if (wantsMore) return goOn();
  stream._read = function _read() {
    delete stream._read;
    goOn();
  };
  return undefined;
}

const methods = {
  _transform(chunk, _encoding, callback) {
    const flush = flushes.get(chunk) ?? this[SETTINGS].flush;
    // The callback comes after the codec has consumed all earlier input.
    process(this, asBytes(chunk), flush, callback);
  },
  _flush(callback) {
    process(this, new Uint8Array(0), this[SETTINGS].finishFlush, callback);
  },
  _destroy(error, callback) {
    this[CODEC] = undefined;
    callback(error);
  },
  _processChunk(chunk, flush, callback) {
    if (callback) return process(this, asBytes(chunk), flush, callback);
    if (!this[CODEC]) throw new Error('zlib binding closed');
    const bytes = asBytes(chunk);
    this.bytesWritten += bytes.byteLength;
    return bytesOf(this[CODEC].process(bytes, flush));
  },
  flush(kind, callback) {
    if (typeof kind === 'function' || (kind === undefined && !callback)) {
      callback = kind;
      kind = this[SETTINGS].finishFlush === constants.BROTLI_OPERATION_FINISH && this instanceof BrotliCompress ? constants.BROTLI_OPERATION_FLUSH : constants.Z_FULL_FLUSH;
    }
    if (this.writableFinished) {
      if (callback) globalThis.process.nextTick(callback);
    } else if (this.writableEnded) {
      if (callback) this.once('end', callback);
    } else {
      const marker = globalThis.Buffer.alloc(0);
      flushes.set(marker, kind);
      this.write(marker, '', callback);
    }
  },
  close(callback) {
    if (callback) finished(this, callback);
    this.destroy();
  },
  reset() {
    if (!this[CODEC]) throw new Error('zlib binding closed');
    this[CODEC].reset();
    this.bytesWritten = 0;
  },
  params(level, strategy, callback) {
    zlibOptions({ level, strategy }, 'deflate');
    // Earlier input is compressed with the old level.
    this.flush(constants.Z_SYNC_FLUSH, (error) => {
      [this._level, this._strategy] = [level, strategy];
      callback?.(error ?? undefined);
    });
  },
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(ZlibBase.prototype, name, { value, writable: true, configurable: true });
Object.defineProperty(ZlibBase.prototype, '_closed', {
  get() {
    return this[CODEC] === undefined;
  },
  configurable: true,
});
Object.defineProperty(ZlibBase.prototype, '_outBuffer', {
  get() {
    const value = globalThis.Buffer.allocUnsafe(this[SETTINGS].chunkSize);
    Object.defineProperty(this, '_outBuffer', { value, writable: true, configurable: true });
    return value;
  },
  configurable: true,
});
Object.defineProperty(ZlibBase.prototype, 'bytesRead', {
  get() {
    return this.bytesWritten;
  },
  configurable: true,
});

function streamClass(name, mode) {
  function Codec(options) {
    if (!(this instanceof Codec)) return new Codec(options);
    begin(this, mode, options);
    return undefined;
  }
  Object.defineProperty(Codec, 'name', { value: name, configurable: true });
  Object.setPrototypeOf(Codec.prototype, ZlibBase.prototype);
  Object.setPrototypeOf(Codec, ZlibBase);
  return Codec;
}

export const Deflate = streamClass('Deflate', 'deflate');
export const Inflate = streamClass('Inflate', 'inflate');
export const Gzip = streamClass('Gzip', 'gzip');
export const Gunzip = streamClass('Gunzip', 'gunzip');
export const DeflateRaw = streamClass('DeflateRaw', 'deflateRaw');
export const InflateRaw = streamClass('InflateRaw', 'inflateRaw');
export const Unzip = streamClass('Unzip', 'unzip');
export const BrotliCompress = streamClass('BrotliCompress', 'brotliCompress');
export const BrotliDecompress = streamClass('BrotliDecompress', 'brotliDecompress');

export const tooLarge = (limit) => nodeError(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${limit} bytes`);
