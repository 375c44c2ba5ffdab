// Native codecs, with Node's errors.
import { open, openBrotli } from 'lmthing:internal/native/compression';
import { brotliOptions, zlibOptions } from './options.js';

const isBrotli = (mode) => mode.startsWith('brotli');

/** A new codec for a mode: `gzip`, `inflateRaw`, `brotliCompress`, … */
export function openCodec(mode, options) {
  if (!isBrotli(mode)) {
    const { level, windowBits, dictionary } = zlibOptions(options, mode);
    return open(mode, level, windowBits, dictionary);
  }
  const { quality, windowBits, mode: kind, sizeHint } = brotliOptions(options ?? {});
  return openBrotli(mode === 'brotliCompress', quality, windowBits, kind, sizeHint);
}

/** Returns the bytes of a result, or throws Node's error. */
export function bytesOf({ code, number, message, value }) {
  if (code === undefined) return globalThis.Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw Object.assign(new Error(message), { errno: number, code });
}
