// Turns `process.stdout` and `process.stderr` into streams when they are used as such.
import { windowSize } from 'lmthing:internal/native/stdin';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { Writable } from 'node:stream';
import process from 'lmthing:internal/process';
import { asBytes } from '../shared/bytes.js';
import { getColorDepth, hasColors } from '../shared/color-depth.js';

const writers = new WeakMap();

function members(base) {
  return Object.create(base, Object.getOwnPropertyDescriptors({
    _write(chunk, encoding, callback) {
      const { writeBytes, writeText } = writers.get(this);
      if (typeof chunk !== 'string') writeBytes(asBytes(chunk));
      else if (/^(?:utf-?8)?$/i.test(encoding)) writeText(chunk.toWellFormed());
      else writeBytes(asBytes(globalThis.Buffer.from(chunk, encoding)));
      callback();
    },
    // Can be ended and written again, as in Node: programs print after piping into it.
    _destroy(error, callback) {
      callback(error);
      this._undestroy();
      process.nextTick(() => this.emit('close'));
    },
    destroySoon() {
      this.destroy();
    },
    ref() {
      return this;
    },
    unref() {
      return this;
    },
  }));
}

const readline = () => importBuiltin('node:readline');
const pipe = members(Writable.prototype);
export function WriteStream() {}
const terminal = Object.create(pipe, Object.getOwnPropertyDescriptors({
  get columns() {
    return windowSize()?.[0] ?? 80;
  },
  get rows() {
    return windowSize()?.[1] ?? 24;
  },
  getWindowSize() {
    return [this.columns, this.rows];
  },
  getColorDepth,
  hasColors,
  clearLine(direction, callback) {
    return readline().clearLine(this, direction, callback);
  },
  clearScreenDown(callback) {
    return readline().clearScreenDown(this, callback);
  },
  cursorTo(x, y, callback) {
    return readline().cursorTo(this, x, y, callback);
  },
  moveCursor(x, y, callback) {
    return readline().moveCursor(this, x, y, callback);
  },
}));
function Socket() {}
Object.defineProperty(pipe, 'constructor', { value: Socket, writable: true, configurable: true });
Object.defineProperty(terminal, 'constructor', { value: WriteStream, writable: true, configurable: true });
WriteStream.prototype = terminal;

/** Emits `resize` when the terminal's size changes. */
function followSize(stream) {
  stream.on('newListener', function watch(name) {
    if (name !== 'resize') return;
    stream.off('newListener', watch);
    process.on('SIGWINCH', () => stream.emit('resize'));
  });
}

/** Turns the object `stream` into a stream in place. */
export function upgrade(stream, writer) {
  writers.set(stream, writer);
  Object.setPrototypeOf(stream, writer.isTTY ? terminal : pipe);
  Writable.call(stream, { decodeStrings: false, emitClose: false });
  for (const name of ['_writableState', '_events', '_eventsCount', '_maxListeners']) {
    if (Object.hasOwn(stream, name)) Object.defineProperty(stream, name, { enumerable: name === '_writableState' });
  }
  if (writer.isTTY) followSize(stream);
}
