// `ChildProcess`: a running child, its streams and events.
import * as native from 'lmthing:internal/native/child-process';
import process from 'lmthing:internal/process';
import { setImmediate } from 'lmthing:internal/timers';
import EventEmitter from 'node:events';
import { Readable, Writable } from 'node:stream';
import { brand } from '../shared/brand.js';
import { asBytes } from '../shared/bytes.js';
import { signalName } from '../shared/signals.js';
import { abortError, errnoError } from '../shared/system-error.js';
import { checkSignal, isPipe, limitsOf, plan, signalNumber } from './arguments.js';

/** Calls `callback` in a separate task, so that an exception in it is uncaught. */
const afterwards = (promise, callback) => promise.then((value) => setImmediate(callback, value));

function outputOf(handle, which) {
  const stream = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      afterwards(handle.read(which), (bytes) => {
        if (stream.destroyed) return;
        stream.push(bytes ? globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : null);
      });
    },
    destroy(error, callback) {
      handle.close(which);
      callback(error);
    },
  });
  addHandle(stream, handle, which + 1);
  // Reads ahead as Node's pipes do, so that the first output is available immediately.
  stream.read(0);
  return stream;
}

function inputOf(handle) {
  const stream = new Writable({
    highWaterMark: 16 * 1024,
    write(chunk, _encoding, callback) {
      afterwards(handle.write(asBytes(chunk)), (failure) => callback(failure && errnoError(failure, 'write')));
    },
    final(callback) {
      handle.closeInput();
      callback();
    },
    destroy(error, callback) {
      handle.closeInput();
      callback(error);
    },
  });
  addHandle(stream, handle, 1);
  return stream;
}

function addHandle(stream, handle, which) {
  const setter = (referenced) => () => (handle.setReferenced(which, referenced), stream);
  Object.defineProperties(stream, {
    ref: { value: setter(true), configurable: true, writable: true },
    unref: { value: setter(false), configurable: true, writable: true },
    destroySoon: { value: () => (stream.writable ? stream.end() : stream.destroy()), configurable: true, writable: true },
  });
}

export class ChildProcess extends EventEmitter {
  #handle = null;
  #open = 1;

  constructor() {
    super();
    this._closesNeeded = 1;
    this._closesGot = 0;
    this.connected = false;
    this.signalCode = null;
    this.exitCode = null;
    this.killed = false;
    this.spawnfile = null;
  }

  /** Called by `start` below; not Node's private method of this name. */
  spawn(file, args, options) {
    const { native: wanted, file: spawnfile, args: spawnargs } = plan(file, args, options);
    this.spawnfile = spawnfile;
    this.spawnargs = spawnargs;
    const handle = native.spawn(wanted);
    const failed = handle.code !== undefined;
    if (failed && !['EACCES', 'EAGAIN', 'EMFILE', 'ENFILE', 'ENOENT'].includes(handle.code)) {
      throw errnoError(handle, 'spawn');
    }
    this.#handle = failed ? null : handle;
    this.pid = failed ? undefined : handle.pid;
    this.#makeStreams(wanted.stdio, failed ? undefined : handle);
    if (failed) process.nextTick(() => this.#fail(handle));
    else {
      process.nextTick(() => this.emit('spawn'));
      afterwards(handle.wait(), ([code, signal]) => this.#exited(code, signal));
    }
    return failed ? -handle.number : 0;
  }

  #makeStreams(stdio, handle) {
    const idle = { close() {}, closeInput() {}, read: () => new Promise(() => {}), setReferenced() {}, write: async () => ({ code: 'EPIPE', number: 32 }) };
    const make = (index) => {
      if (!isPipe(stdio[index])) return null;
      const stream = index === 0 ? inputOf(handle ?? idle) : outputOf(handle ?? idle, index);
      if (index > 0) {
        this.#open += 1;
        this._closesNeeded += 1;
        stream.on('close', () => this.#closed());
      }
      return stream;
    };
    this.stdio = stdio.map((_, index) => (index < 3 ? make(index) : null));
    [this.stdin, this.stdout, this.stderr] = this.stdio;
  }

  #closed() {
    this._closesGot += 1;
    this.#open -= 1;
    if (this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
  }

  #fail({ code, number }) {
    this.exitCode = -number;
    const error = errnoError({ code, number }, `spawn ${this.spawnfile}`);
    error.path = this.spawnfile;
    error.spawnargs = this.spawnargs.slice(1);
    this.stdin?.destroy();
    try {
      this.emit('error', error);
    } finally {
      setImmediate(() => {
        for (const stream of [this.stdout, this.stderr]) stream?.destroy();
      });
      this.#closed();
    }
  }

  #exited(code, signal) {
    this.exitCode = code ?? null;
    this.signalCode = typeof signal === 'number' ? signalName(signal, process.platform) : null;
    this.#handle = null;
    this.stdin?.destroy();
    try {
      this.emit('exit', this.exitCode, this.signalCode);
    } finally {
      // Unread output must not delay the end.
      process.nextTick(() => {
        for (const stream of [this.stdout, this.stderr]) if (stream?.readable) stream.resume();
      });
      this.#closed();
    }
  }

  kill(signal) {
    const number = signal === 0 ? 0 : signalNumber(signal === undefined || signal === null ? 'SIGTERM' : signal);
    const failure = this.#handle ? this.#handle.kill(number) : { code: 'ESRCH', number: 3 };
    if (!failure) {
      this.killed = true;
      return true;
    }
    if (failure.code === 'EINVAL' || failure.code === 'ENOSYS') throw errnoError(failure, 'kill');
    if (failure.code !== 'ESRCH') this.emit('error', errnoError(failure, 'kill'));
    return false;
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
    if (!this.killed) this.kill();
  }

  ref() {
    this.#handle?.setReferenced(0, true);
  }

  unref() {
    this.#handle?.setReferenced(0, false);
  }
}
for (const name of ['send', 'disconnect']) {
  // In Node only children with an IPC channel have these, and there is none here.
  Object.defineProperty(ChildProcess.prototype, name, { value: undefined, configurable: true, writable: true });
}
brand(ChildProcess, 'ChildProcess', false);

function followSignal(child, signal, killSignal) {
  const abort = () => {
    try {
      if (child.kill(killSignal)) child.emit('error', abortError(signal));
    } catch (error) {
      child.emit('error', error);
    }
  };
  if (signal.aborted) return process.nextTick(abort);
  signal.addEventListener('abort', abort, { once: true });
  child.once('exit', () => signal.removeEventListener('abort', abort));
}

function followTimeout(child, timeout, killSignal) {
  const timer = setTimeout(() => {
    try {
      child.kill(killSignal);
    } catch (error) {
      child.emit('error', error);
    }
  }, timeout);
  child.once('exit', () => clearTimeout(timer));
}

export function start({ file, args, options }) {
  const { timeout, killSignal } = limitsOf({ timeout: options.timeout, killSignal: options.killSignal });
  checkSignal(options.signal);
  const child = new ChildProcess();
  child.spawn(file, args, options);
  if (timeout > 0) followTimeout(child, timeout, killSignal);
  if (options.signal) followSignal(child, options.signal, killSignal);
  return child;
}
