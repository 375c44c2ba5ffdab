// Conversions between Node and web streams.
import { finished } from '../../../node_modules/readable-stream/lib/stream.js';
import { invalidArgumentType } from './errors.js';

const isBytes = (chunk) => chunk instanceof Uint8Array;

/** A web stream that reads from `readable`, with backpressure. */
export function toWebReadable(readable, { strategy } = {}) {
  if (typeof readable?.on !== 'function') throw invalidArgumentType('streamReadable', 'an instance of Stream.Readable', readable);
  const objectMode = readable.readableObjectMode;
  if (readable.destroyed || readable.readable === false) {
    const closed = new ReadableStream();
    closed.cancel();
    return closed;
  }
  const highWaterMark = readable.readableHighWaterMark;
  const queue = strategy ?? (objectMode ? new CountQueuingStrategy({ highWaterMark }) : { highWaterMark, size: (chunk) => chunk?.byteLength ?? 1 });
  let cancelled = false;
  readable.pause();
  return new ReadableStream(
    {
      start(controller) {
        finished(readable, { writable: false }, (error) => {
          if (cancelled) return;
          if (error) controller.error(error);
          else controller.close();
        });
        readable.on('data', (chunk) => {
          if (cancelled) return;
          // Copied: a Buffer is a view on memory that others may share.
          controller.enqueue(isBytes(chunk) && !objectMode ? new Uint8Array(chunk) : chunk);
          if (controller.desiredSize <= 0) readable.pause();
        });
        readable.pause();
      },
      pull() {
        readable.resume();
      },
      cancel(reason) {
        cancelled = true;
        readable.destroy(reason instanceof Error ? reason : undefined);
      },
    },
    queue,
  );
}

export function toWebWritable(writable) {
  if (typeof writable?.write !== 'function') throw invalidArgumentType('streamWritable', 'an instance of Stream.Writable', writable);
  const highWaterMark = writable.writableHighWaterMark ?? 1;
  const queue = writable.writableObjectMode ? new CountQueuingStrategy({ highWaterMark }) : { highWaterMark, size: (chunk) => chunk?.byteLength ?? chunk?.length ?? 1 };
  let failed;
  return new WritableStream(
    {
      start(controller) {
        finished(writable, { readable: false }, (error) => {
          failed = error;
          if (error) controller.error(error);
        });
      },
      async write(chunk) {
        if (!writable.write(chunk)) {
          await new Promise((resolve, reject) => {
            writable.once('drain', resolve);
            writable.once('close', () => (failed ? reject(failed) : resolve()));
          });
        }
      },
      close() {
        return new Promise((resolve, reject) => {
          finished(writable, { readable: false }, (error) => (error ? reject(error) : resolve()));
          writable.end();
        });
      },
      abort(reason) {
        writable.destroy(reason instanceof Error ? reason : undefined);
      },
    },
    queue,
  );
}

export function fromWebReadable(Readable, stream, options = {}) {
  if (typeof stream?.getReader !== 'function') throw invalidArgumentType('readableStream', 'an instance of ReadableStream', stream);
  const reader = stream.getReader();
  let closed = false;
  const readable = new Readable({
    ...options,
    read() {
      reader.read().then(
        ({ value, done }) => {
          closed ||= done;
          readable.push(done ? null : value);
        },
        (error) => readable.destroy(error),
      );
    },
    destroy(error, callback) {
      const done = () => process.nextTick(callback, error);
      if (closed) return done();
      closed = true;
      reader.cancel(error).then(done, done);
    },
  });
  return readable;
}

export function fromWebWritable(Writable, stream, options = {}) {
  if (typeof stream?.getWriter !== 'function') throw invalidArgumentType('writableStream', 'an instance of WritableStream', stream);
  return new Writable({ ...options, ...sinkOf(stream.getWriter(), options) });
}

export function fromWebDuplex(Duplex, { readable, writable }, options = {}) {
  const reader = readable.getReader();
  const duplex = new Duplex({
    ...options,
    ...sinkOf(writable.getWriter(), options),
    read() {
      reader.read().then(
        ({ value, done }) => duplex.push(done ? null : value),
        (error) => duplex.destroy(error),
      );
    },
  });
  return duplex;
}

function sinkOf(writer, { objectMode, decodeStrings = true }) {
  let closed = false;
  const settle = (promise, callback) => promise.then(() => callback(), (error) => callback(error ?? new Error('The stream was aborted')));
  return {
    write(chunk, encoding, callback) {
      if (typeof chunk === 'string' && decodeStrings && !objectMode) chunk = Buffer.from(chunk, encoding);
      settle(writer.ready.then(() => writer.write(chunk)), callback);
    },
    final(callback) {
      closed = true;
      settle(writer.close(), callback);
    },
    destroy(error, callback) {
      if (closed || !error) return callback(error);
      closed = true;
      const done = () => callback(error);
      writer.abort(error).then(done, done);
    },
  };
}
