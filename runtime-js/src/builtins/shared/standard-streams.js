// `process.stdin`, `stdout` and `stderr`: objects that cost next to nothing. Writing text goes straight to the printer; the
// first look at anything else makes a stream of the same object (`internal/output-stream.js`, `internal/stdin.js`).
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

/** A prototype whose members make a stream of the object by `upgrade` before they are looked at. */
function lightPrototype(names, upgrade) {
  const light = Object.create(Object.prototype);
  const upgraded = (stream) => {
    if (Object.getPrototypeOf(stream) === light) upgrade(stream);
    return stream;
  };
  for (const name of names) {
    Object.defineProperty(light, name, {
      get() {
        // Somebody may look at the prototype itself.
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

/** How each stream writes. */
const writers = new WeakMap();
const upgrade = (stream) => importBuiltin('lmthing:internal/output-stream').upgrade(stream, writers.get(stream));
const lightOutput = lightPrototype([...EMITTER, ...STREAM, ...WRITABLE], upgrade);
const lightInput = lightPrototype([...EMITTER, ...STREAM, ...READABLE], (stream) => importBuiltin('lmthing:internal/stdin').upgrade(stream));

/** Called by `node:stream` once: from then on they are instances of its classes, also while they are light. */
export function becomeStreams({ Readable, Writable }) {
  Object.setPrototypeOf(lightOutput, Writable.prototype);
  Object.setPrototypeOf(lightInput, Readable.prototype);
}

/** Whether nothing stands between a text and the printer. */
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
    // What is written is gone at once: it never gets full.
    return prototype.write.call(stream.ref(), chunk, encoding, callback) || stream.writableLength === 0;
  }
  writers.set(stream, { fd, isTTY, writeText, writeBytes });
  Object.assign(stream, { fd, _isStdio: true, _type: isTTY ? 'tty' : 'pipe' });
  if (isTTY) stream.isTTY = true;
  Object.defineProperty(stream, 'write', {
    get: () => write,
    // Who replaces it wants to see what `console` prints, too.
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
