// `process.stdin`, made on first access. Only pending reads keep the program alive.
import { keepAlive, read, setRawMode } from 'lmthing:internal/native/stdin';
import { setImmediate } from 'lmthing:internal/timers';
import { Readable } from 'node:stream';

let pending = false;
let referenced = true;
let stdin;
/** A paused stream reads ahead, which must not keep the program alive. */
const isPaused = () => stdin.readableFlowing === false && stdin.listenerCount('readable') === 0;
const update = () => keepAlive(pending && referenced && !stdin.destroyed && !isPaused());

export function ReadStream() {}
ReadStream.prototype = Object.create(Readable.prototype, Object.getOwnPropertyDescriptors({
  _read() {
    if (!pending) {
      pending = true;
      read().then((bytes) => setImmediate(take, bytes));
    }
    update();
  },
  _destroy(error, callback) {
    callback(error);
    update();
  },
  ref() {
    referenced = true;
    update();
    return this;
  },
  unref() {
    referenced = false;
    update();
    return this;
  },
}));
Object.defineProperty(ReadStream.prototype, 'constructor', { value: ReadStream, writable: true, configurable: true });

function take(bytes) {
  pending = false;
  update();
  if (!stdin.destroyed) stdin.push(bytes ? globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : null);
}

/** Turns the object `process.stdin` into a stream in place. */
export function upgrade(object) {
  stdin = object;
  Object.setPrototypeOf(stdin, ReadStream.prototype);
  Readable.call(stdin, { highWaterMark: 64 * 1024 });
  if (stdin.isTTY) {
    stdin.setRawMode = (on) => {
      if (setRawMode(Boolean(on))) stdin.isRaw = Boolean(on);
      return stdin;
    };
  }
  // The script may resume reading immediately.
  stdin.on('pause', () => globalThis.process.nextTick(update));
  stdin.on('resume', update);
}
