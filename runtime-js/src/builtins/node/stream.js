// `node:stream`: Node's own streams from npm's readable-stream, and the conversions from and to web streams, which that
// omits.
import { becomeStreams } from 'lmthing:internal/process';
import Stream from '../../../node_modules/readable-stream/lib/stream.js';
import promises from '../../../node_modules/readable-stream/lib/stream/promises.js';
import { brand } from '../shared/brand.js';
import { fromWebDuplex, fromWebReadable, fromWebWritable, toWebReadable, toWebWritable } from '../shared/stream-adapters.js';

const { Duplex, PassThrough, Readable, Transform, Writable } = Stream;
for (const name of ['Duplex', 'PassThrough', 'Readable', 'Transform', 'Writable']) brand(Stream[name], name, false);
// The package is from a later Node with larger buffers.
Stream.setDefaultHighWaterMark(false, 16 * 1024);
becomeStreams(Stream);
for (const [name, Class] of Object.entries({ Duplex, PassThrough, Readable, Stream, Transform, Writable })) brand(Class, name, false);

Readable.fromWeb = (stream, options) => fromWebReadable(Readable, stream, options);
Readable.toWeb = (readable, options) => toWebReadable(readable, options);
Writable.fromWeb = (stream, options) => fromWebWritable(Writable, stream, options);
Writable.toWeb = (writable) => toWebWritable(writable);
Duplex.fromWeb = (pair, options) => fromWebDuplex(Duplex, pair, options);
Duplex.toWeb = (duplex) => ({ readable: toWebReadable(duplex), writable: toWebWritable(duplex) });

/** Two connected streams: each reads what is written to the other. */
export function duplexPair(options) {
  let other;
  const end = (peer) =>
    new Duplex({
      ...options,
      read() {
        const callback = this.waiting;
        this.waiting = undefined;
        callback?.();
      },
      write(chunk, _encoding, callback) {
        const target = peer();
        if (chunk.length === 0) process.nextTick(callback);
        else if (target.push(chunk)) callback();
        else target.waiting = callback;
      },
      final(callback) {
        peer().on('end', callback);
        peer().push(null);
      },
    });
  const first = end(() => other);
  other = end(() => first);
  return [first, other];
}
Stream.duplexPair = duplexPair;
Object.defineProperty(Stream, 'promises', { value: promises, enumerable: true, configurable: true, writable: true });

export const {
  addAbortSignal, compose, destroy, finished, getDefaultHighWaterMark, isDestroyed, isDisturbed, isErrored, isReadable, isWritable,
  pipeline, setDefaultHighWaterMark, _isUint8Array, _uint8ArrayToBuffer,
} = Stream;
export { Duplex, PassThrough, promises, Readable, Stream, Transform, Writable, Stream as default };
