// `fs.createReadStream` and `fs.createWriteStream`. They call the functions of an `fs` object, the caller's (option
// `fs`) or ours, because packages replace these functions.
import { Buffer } from 'node:buffer';
import { finished, Readable, Writable } from 'node:stream';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';
import { optionsOf, pathText } from './arguments.js';

const CHUNK = 64 * 1024;
const FS = Symbol('fs');
const HANDLE = Symbol('handle');
const BUSY = Symbol('busy');
const IDLE = Symbol('idle');

/** Set by `module.js`. */
export const defaults = { fs: undefined };

function checkPosition(value, name) {
  if (value === undefined) return;
  if (typeof value !== 'number') throw invalidArgumentType(name, 'of type number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < 0 || value > Number.MAX_SAFE_INTEGER) throw outOfRange(name, `>= 0 && <= ${Number.MAX_SAFE_INTEGER}`, value);
}

/** A `FileHandle` as an `fs` object: its streams must notice when it is closed. */
const functionsOf = (handle) => ({
  read: (_fd, buffer, offset, length, position, callback) => handle.read(buffer, offset, length, position).then(({ bytesRead }) => callback(null, bytesRead, buffer), callback),
  write: (_fd, buffer, offset, length, position, callback) => handle.write(buffer, offset, length, position).then(({ bytesWritten }) => callback(null, bytesWritten, buffer), callback),
  close: (_fd, callback) => handle.close().then(() => callback(), callback),
});

/** Shared construction; returns the options for the base class. */
function begin(stream, path, given, flags) {
  // An abort destroys the stream with an error event; nothing is thrown.
  const options = { ...optionsOf(given?.signal ? { ...given, signal: undefined } : given) };
  if (given?.signal) options.signal = given.signal;
  else delete options.signal;
  options.autoDestroy = options.autoClose ?? true;
  if (options.fd === undefined || options.fd === null) {
    stream.fd = null;
    stream[FS] = options.fs ?? defaults.fs;
    // Kept as given; only URLs are converted.
    stream.path = typeof path === 'object' && path?.href ? pathText(path) : (pathText(path), path);
    stream.flags = options.flags ?? flags;
    stream.mode = options.mode ?? 0o666;
  } else if (typeof options.fd === 'number') {
    stream.fd = options.fd;
    stream[FS] = options.fs ?? defaults.fs;
    if (path !== undefined && path !== null) stream.path = path;
  } else {
    stream[HANDLE] = options.fd;
    stream.fd = options.fd.fd;
    stream[FS] = functionsOf(options.fd);
    options.fd.on?.('close', () => stream.close());
  }
  stream.start = options.start;
  checkPosition(options.start, 'start');
  return options;
}

export function ReadStream(path, given) {
  if (!(this instanceof ReadStream)) return new ReadStream(path, given);
  const options = begin(this, path, given, 'r');
  options.highWaterMark ??= CHUNK;
  this.end = options.end ?? Infinity;
  this.pos = options.start;
  this.bytesRead = 0;
  if (this.end !== Infinity) {
    checkPosition(this.end, 'end');
    if ((this.start ?? 0) > this.end) throw outOfRange('start', `<= "end" (here: ${this.end})`, this.start);
  }
  this[BUSY] = false;
  const { encoding, ...rest } = options;
  Readable.call(this, rest);
  if (encoding) this.setEncoding(encoding);
}
Object.setPrototypeOf(ReadStream.prototype, Readable.prototype);
Object.setPrototypeOf(ReadStream, Readable);

export function WriteStream(path, given) {
  if (!(this instanceof WriteStream)) return new WriteStream(path, given);
  const options = begin(this, path, given, 'w');
  options.decodeStrings = true;
  this.pos = options.start;
  this.bytesWritten = 0;
  this[BUSY] = false;
  const { encoding, ...rest } = options;
  Writable.call(this, rest);
  if (encoding) this.setDefaultEncoding(encoding);
}
Object.setPrototypeOf(WriteStream.prototype, Writable.prototype);
Object.setPrototypeOf(WriteStream, Writable);

/** Packages replace this method; see `construct`. */
function open() {}

function construct(callback) {
  if (typeof this.fd === 'number') return callback();
  if (this.open !== open) return constructByReplacement(this, callback);
  return this[FS].open(this.path, this.flags, this.mode, (error, fd) => {
    if (error) return callback(error);
    this.fd = fd;
    callback();
    this.emit('open', fd);
    return this.emit('ready');
  });
}

/** A replaced `open` reports its result by events. */
function constructByReplacement(stream, callback) {
  const { emit } = stream;
  stream.emit = (name, ...values) => {
    if (name !== 'open' && name !== 'error') return emit.call(stream, name, ...values);
    stream.emit = emit;
    if (name === 'error') return callback(values[0]);
    callback();
    return emit.call(stream, name, ...values);
  };
  stream.open();
}

/** Closes the file once no operation is pending. */
function destroy(error, callback) {
  const close = (failure) => {
    const { fd } = this;
    if (fd === null || fd === undefined) return callback(failure ?? error);
    this.fd = null;
    return this[FS].close(fd, (problem) => callback(failure ?? problem ?? error));
  };
  if (this[BUSY]) this.once(IDLE, close);
  else close();
}

function close(callback) {
  if (callback) {
    if (this.closed || this.destroyed) {
      if (this.closed) process.nextTick(callback);
      else this.on('close', callback);
      return;
    }
    finished(this, (error) => callback(error));
  }
  // Without `autoClose`, a stream that has ended is not destroyed.
  if (this instanceof Writable && !this.destroyed && !this.writableEnded) {
    if (!this.autoClose) this.on('finish', this.destroy);
    this.end();
  } else this.destroy();
}

ReadStream.prototype._read = function _read(size) {
  const left = this.pos === undefined ? this.end - this.bytesRead + 1 : this.end - this.pos + 1;
  const wanted = Math.min(left, size);
  if (wanted <= 0) return this.push(null);
  const buffer = Buffer.allocUnsafeSlow(wanted);
  this[BUSY] = true;
  return this[FS].read(this.fd, buffer, 0, wanted, this.pos, (error, count, filled) => {
    this[BUSY] = false;
    if (this.destroyed) return this.emit(IDLE, error);
    if (error) return this.destroy(error);
    if (count === 0) return this.push(null);
    if (this.pos !== undefined) this.pos += count;
    this.bytesRead += count;
    return this.push(count === filled.length ? filled : Buffer.from(filled.subarray(0, count)));
  });
};

function writeAll(stream, data, position, callback) {
  stream[FS].write(stream.fd, data, 0, data.length, position, (error, count) => {
    if (error || stream.destroyed) return callback(error ?? nodeError(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'));
    stream.bytesWritten += count;
    if (count >= data.length) return callback();
    return writeAll(stream, data.subarray(count), position === undefined ? undefined : position + count, callback);
  });
}

WriteStream.prototype._write = function _write(data, _encoding, callback) {
  this[BUSY] = true;
  writeAll(this, data, this.pos, (error) => {
    this[BUSY] = false;
    if (this.destroyed) {
      callback(error);
      return this.emit(IDLE, error);
    }
    return callback(error);
  });
  if (this.pos !== undefined) this.pos += data.length;
};

WriteStream.prototype._writev = function _writev(parts, callback) {
  this._write(Buffer.concat(parts.map(({ chunk }) => chunk)), 'buffer', callback);
};

for (const [Stream, state] of [[ReadStream, '_readableState'], [WriteStream, '_writableState']]) {
  Object.assign(Stream.prototype, { open, _construct: construct, _destroy: destroy, close });
  Object.defineProperty(Stream.prototype, 'autoClose', {
    get() {
      return this[state].autoDestroy;
    },
    set(value) {
      this[state].autoDestroy = value;
    },
    configurable: true,
  });
  Object.defineProperty(Stream.prototype, 'pending', {
    get() {
      return this.fd === null;
    },
    configurable: true,
  });
}
WriteStream.prototype.destroySoon = Writable.prototype.end;
