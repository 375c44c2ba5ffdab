// `process.stdin`, `stdout` and `stderr` as light objects. Text is written directly to the host; the first access to
// any other member turns the object into a stream (`internal/output-stream.js`, `internal/stdin.js`).
import { patched } from 'lmthing:internal/native/console';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { stdinIsTerminal } from 'lmthing:internal/native/stdin';
import { asBytes } from './bytes.js';

const EMITTER = [
  '_events', '_eventsCount', '_maxListeners', 'addListener', 'constructor', 'emit', 'eventNames', 'getMaxListeners', 'listenerCount',
  'listeners', 'off', 'on', 'once', 'prependListener', 'prependOnceListener', 'rawListeners', 'removeAllListeners',
  'removeListener', 'setMaxListeners',
];
const STREAM = ['_destroy', '_undestroy', 'closed', 'destroy', 'destroyed', 'destroySoon', 'errored', 'pipe', 'ref', 'unref'];
const WRITABLE = [
  '_write', '_writableState', 'cork', 'end', 'setDefaultEncoding', 'uncork', 'writable', 'writableAborted', 'writableBuffer',
  'writableCorked', 'writableEnded', 'writableFinished', 'writableHighWaterMark', 'writableLength', 'writableNeedDrain',
  'writableObjectMode', 'clearLine', 'clearScreenDown', 'cursorTo', 'getColorDepth', 'getWindowSize', 'hasColors', 'moveCursor',
  'columns', 'rows',
];
const READABLE = [
  '_read', '_readableState', 'asIndexedPairs', 'drop', 'every', 'filter', 'find', 'flatMap', 'forEach', 'isPaused', 'iterator', 'map',
  'pause', 'push', 'read', 'readable', 'readableAborted', 'readableBuffer', 'readableDidRead', 'readableEncoding', 'readableEnded',
  'readableFlowing', 'readableHighWaterMark', 'readableLength', 'readableObjectMode', 'reduce', 'resume', 'setEncoding', 'some',
  'take', 'toArray', 'unpipe', 'unshift', 'wrap', 'setRawMode', Symbol.asyncIterator,
];

/** A prototype whose members call `upgrade` on first access. */
function lightPrototype(names, upgrade) {
  const light = Object.create(Object.prototype);
  const upgraded = (stream) => {
    if (Object.getPrototypeOf(stream) === light) upgrade(stream);
    return stream;
  };
  for (const name of names) {
    Object.defineProperty(light, name, {
      get() {
        // The prototype itself may be inspected.
        return this === light ? undefined : upgraded(this)[name];
      },
      set(value) {
        upgraded(this)[name] = value;
      },
      configurable: true,
      enumerable: false,
    });
  }
  return light;
}

/** The writer of each stream. */
const writers = new WeakMap();
const upgrade = (stream) => importBuiltin('lmthing:internal/output-stream').upgrade(stream, writers.get(stream));
const lightOutput = lightPrototype([...EMITTER, ...STREAM, ...WRITABLE], upgrade);
const lightInput = lightPrototype([...EMITTER, ...STREAM, ...READABLE], (stream) => importBuiltin('lmthing:internal/stdin').upgrade(stream));

/** Called once by `node:stream`: makes them instances of its classes while they are still light. */
export function becomeStreams({ Readable, Writable }) {
  Object.setPrototypeOf(lightOutput, Writable.prototype);
  Object.setPrototypeOf(lightInput, Readable.prototype);
}

/** Whether text can be written directly. */
function isIdle(stream) {
  if (Object.getPrototypeOf(stream) === lightOutput) return true;
  const state = stream._writableState;
  return state.length === 0 && !state.corked && !state.ending && !state.destroyed && !state.errored;
}

export function outputStream(fd, isTTY, writeText, writeBytes) {
  const stream = Object.create(lightOutput);
  function write(chunk, encoding, callback) {
    const alone = encoding === undefined && callback === undefined;
    if (alone && isIdle(stream)) {
      if (typeof chunk === 'string') {
        writeText(chunk.toWellFormed());
        return true;
      }
      if (chunk instanceof Uint8Array) {
        writeBytes(asBytes(chunk));
        return true;
      }
    }
    const { prototype } = importBuiltin('node:stream').Writable;
    // Writes are synchronous, so the buffer is never full.
    return prototype.write.call(stream.ref(), chunk, encoding, callback) || stream.writableLength === 0;
  }
  writers.set(stream, { fd, isTTY, writeText, writeBytes });
  Object.assign(stream, { fd, _isStdio: true, _type: isTTY ? 'tty' : 'pipe' });
  if (isTTY) stream.isTTY = true;
  Object.defineProperty(stream, 'write', {
    get: () => write,
    // Output of `console` must go through a replaced `write`.
    set(value) {
      patched[fd] = value === write ? undefined : stream;
      Object.defineProperty(stream, 'write', { value, writable: true, configurable: true, enumerable: true });
    },
    configurable: true,
    enumerable: false,
  });
  return stream;
}

export function inputStream() {
  const stream = Object.assign(Object.create(lightInput), { fd: 0 });
  if (stdinIsTerminal()) Object.assign(stream, { isTTY: true, isRaw: false });
  return stream;
}
