// `net.Socket`: a duplex stream over a native connection (`src/script/node/socket.rs`).
import { Duplex } from 'node:stream';
import { connect as connectNative, connectPath, ipVersion } from 'lmthing:internal/native/network';
import { asBytes } from '../shared/bytes.js';
import { invalidArgumentType, nodeError, notOffered, outOfRange } from '../shared/errors.js';
import { guarded } from '../shared/guarded.js';
import { networkError } from './errors.js';
import { initializeLoopHandle, refMethods, setActive } from './loop-handle.js';
import { addressesBy, addressesOf } from './lookup.js';

export const HANDLE = Symbol('handle');
/** A callback of the server, called on destruction before the event `close`. */
export const ON_DESTROY = Symbol('gone');
/** Actions that wait for the connection; `undefined` once it is usable. */
const WAITING = Symbol('waiting');
/** Whether `becomeReady` will run the waiting actions, even if no connection is being made. */
const WAITS_FOR_READY = Symbol('held');
const READING = Symbol('reading');
const TIMER = Symbol('timer');
/** Prepares an established connection; overridden by `tls` for the handshake. */
export const PREPARE = Symbol('prepare');

export function Socket(given) {
  if (!(this instanceof Socket)) return new Socket(given);
  const options = { ...(typeof given === 'object' ? given : {}) };
  const { allowHalfOpen = false, handle, readable, writable, signal, highWaterMark } = options;
  if (options.onread) notOffered('onread of net.Socket', 'listen to data')();
  Duplex.call(this, { allowHalfOpen, autoDestroy: true, emitClose: false, decodeStrings: true, readable, writable, highWaterMark, signal });
  this.connecting = false;
  this.server = null;
  this.timeout = 0;
  this[HANDLE] = handle;
  this[WAITING] = handle ? undefined : [];
  this[READING] = false;
  this[WAITS_FOR_READY] = false;
  initializeLoopHandle(this);
  this.bytesWrittenBefore = 0;
  this._bytesRead = 0;
  Object.defineProperty(this, 'bytesWrittenBefore', { enumerable: false });
}
Object.setPrototypeOf(Socket.prototype, Duplex.prototype);
Object.setPrototypeOf(Socket, Duplex);

/** Runs `work` once the connection is usable. */
function whenReady(socket, work) {
  if (socket[WAITING]) socket[WAITING].push(work);
  else work();
}

/** Runs the waiting actions. */
export function becomeReady(socket) {
  const waiting = socket[WAITING] ?? [];
  socket[WAITING] = undefined;
  for (const work of waiting) if (!socket.destroyed) work();
}

/** Delays reading and writing until `becomeReady`. */
export function holdBack(socket) {
  socket[WAITS_FOR_READY] = true;
  socket[WAITING] ??= [];
}

export function adopt(socket, handle) {
  socket[HANDLE] = handle;
}

/** `[options, callback]` of `connect(options, cb)`, `connect(port, host, cb)`, `connect(path, cb)`. */
export function connectArguments(values) {
  const [first, ...rest] = values;
  const callback = typeof values.at(-1) === 'function' ? values.at(-1) : undefined;
  if (typeof first === 'object' && first !== null) return [{ ...first }, callback];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return [{ path: first }, callback];
  const options = { port: first };
  if (typeof rest[0] === 'string') options.host = rest[0];
  return [options, callback];
}

function checkedPort(port) {
  const number = typeof port === 'string' && port.trim() !== '' ? Number(port) : port;
  if (typeof number !== 'number') {
    throw port === undefined
      ? nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified')
      : invalidArgumentType('options.port', 'of type number or string', port);
  }
  if (!Number.isInteger(number) || number < 0 || number > 65535) {
    throw nodeError(RangeError, 'ERR_SOCKET_BAD_PORT', `Port should be >= 0 and < 65536. Received type ${typeof port} (${typeof port === 'string' ? `'${port}'` : port}).`);
  }
  return number;
}

/** Tries the addresses in turn; collects an error for each failure. */
async function reach(socket, addresses, port) {
  const errors = [];
  for (const { address } of addresses) {
    guarded(() => socket.emit('connectionAttempt', address, port, addresses[0].family));
    const outcome = await connectNative(address, port);
    if (!outcome.code) return outcome.value;
    errors.push(networkError(outcome, { address, port }));
    if (socket.destroyed) break;
  }
  if (errors.length === 1) throw errors[0];
  throw Object.assign(new AggregateError(errors), { code: errors[0].code });
}

async function openConnection(socket, options) {
  const { path } = options;
  if (path) {
    const outcome = await connectPath(path);
    if (outcome.code) throw networkError(outcome, { address: path });
    return outcome.value;
  }
  const { host = 'localhost', family = 0, lookup, hints } = options;
  const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : Number(family);
  let addresses;
  try {
    addresses = await (lookup ? addressesBy(lookup, host, { family: wanted, hints, all: true }) : addressesOf(host, wanted));
  } catch (error) {
    guarded(() => socket.emit('lookup', error, undefined, undefined, host));
    throw error;
  }
  // An address needs no lookup.
  if (lookup || ipVersion(host) === 0) for (const { address, family: kind } of addresses) guarded(() => socket.emit('lookup', null, address, kind, host));
  return reach(socket, addresses, checkedPort(options.port));
}

async function connectNow(socket, options) {
  let handle;
  try {
    // Lets the caller add listeners first.
    await null;
    handle = await openConnection(socket, options);
  } catch (error) {
    socket.destroy(error);
    return;
  }
  if (socket.destroyed) {
    handle.close();
    return;
  }
  socket[HANDLE] = handle;
  socket.connecting = false;
  if (options.noDelay) handle.setNoDelay(true);
  if (options.keepAlive) handle.setKeepAlive(true, (options.keepAliveInitialDelay ?? 0) / 1000);
  refresh(socket);
  guarded(() => socket.emit('connect'));
  if (socket.destroyed) return;
  guarded(() => socket.emit('ready'));
  if (socket[PREPARE]) await socket[PREPARE]();
  else becomeReady(socket);
  // The end must be noticed even if nothing reads.
  guarded(() => {
    if (!socket.destroyed && !socket.isPaused()) socket.read(0);
  });
}

function refresh(socket) {
  socket[TIMER]?.refresh();
}

const methods = {
  connect(...values) {
    const [options, callback] = connectArguments(Array.isArray(values[0]) ? values[0] : values);
    if (!options.path) checkedPort(options.port);
    if (callback) this.once('connect', callback);
    this.connecting = true;
    this[WAITING] ??= [];
    connectNow(this, options);
    return this;
  },
  _read() {
    whenReady(this, () => readOnce(this));
  },
  _write(chunk, encoding, callback) {
    writeWhenReady(this, typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk, callback);
  },
  _writev(parts, callback) {
    const all = Buffer.concat(parts.map(({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)));
    writeWhenReady(this, all, callback);
  },
  _final(callback) {
    if (this[HANDLE] === undefined && !this.connecting) return callback();
    return whenReady(this, async () => {
      const outcome = await this[HANDLE].shutdown();
      guarded(() => callback(outcome.code ? networkError(outcome) : null));
    });
  },
  _destroy(error, callback) {
    this.connecting = false;
    clearTimeout(this[TIMER]);
    this[TIMER] = undefined;
    this[HANDLE]?.close();
    this[ON_DESTROY]?.();
    callback(error);
    setImmediate(() => this.emit('close', Boolean(error)));
  },
  setTimeout(milliseconds, callback) {
    if (typeof milliseconds !== 'number') throw invalidArgumentType('msecs', 'of type number', milliseconds);
    if (!(milliseconds >= 0 && Number.isFinite(milliseconds))) throw outOfRange('msecs', 'a non-negative finite number', milliseconds);
    this.timeout = milliseconds;
    clearTimeout(this[TIMER]);
    this[TIMER] = undefined;
    if (milliseconds === 0) {
      if (callback) this.removeListener('timeout', callback);
      return this;
    }
    if (callback) this.once('timeout', callback);
    if (!this.destroyed) this[TIMER] = setTimeout(() => this.emit('timeout'), milliseconds).unref();
    return this;
  },
  setNoDelay(wanted = true) {
    whenReady(this, () => this[HANDLE]?.setNoDelay(Boolean(wanted)));
    return this;
  },
  setKeepAlive(wanted = false, delay = 0) {
    whenReady(this, () => this[HANDLE]?.setKeepAlive(Boolean(wanted), ~~(delay / 1000)));
    return this;
  },
  ...refMethods,
  address() {
    const local = this[HANDLE]?.local;
    return local ? { address: local[0], family: local[2], port: local[1] } : {};
  },
  destroySoon() {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', this.destroy);
  },
  resetAndDestroy() {
    if (this.connecting) this.once('connect', () => this.resetAndDestroy());
    else {
      this[HANDLE]?.reset();
      this.destroy(this[HANDLE] ? undefined : nodeError(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'));
    }
    return this;
  },
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(Socket.prototype, name, { value, writable: true, configurable: true });

async function readOnce(socket) {
  if (socket[READING] || socket.destroyed) return;
  socket[READING] = true;
  // As in Node, a pending read keeps the program alive; an open connection alone does not.
  setActive(socket, true);
  const handle = socket[HANDLE];
  const outcome = await handle.read();
  socket[READING] = false;
  setActive(socket, false);
  // Closed in the meantime, or taken over by TLS.
  if (socket.destroyed || socket[HANDLE] !== handle) return;
  refresh(socket);
  if (outcome.code) {
    socket.destroy(networkError(outcome));
    return;
  }
  const bytes = outcome.value;
  if (bytes === undefined) {
    // The end must arrive even if nothing reads.
    guarded(() => {
      socket.push(null);
      socket.read(0);
    });
    return;
  }
  socket._bytesRead += bytes.byteLength;
  const isThrough = guarded(() => socket.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
  // The stream had no chance to request more.
  if (!isThrough && !socket.destroyed && socket.readableFlowing) setImmediate(() => socket.read(0));
}

function writeWhenReady(socket, bytes, callback) {
  // No connection will ever be made.
  const isNowhere = !socket[HANDLE] && socket[WAITING] && !socket.connecting && !socket[WAITS_FOR_READY];
  if (isNowhere) callback(nodeError(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'));
  else whenReady(socket, () => writeNow(socket, bytes, callback));
}

async function writeNow(socket, bytes, callback) {
  refresh(socket);
  const outcome = await socket[HANDLE].write(asBytes(bytes));
  if (!socket.destroyed) {
    refresh(socket);
    if (!outcome.code) socket.bytesWrittenBefore += bytes.length;
  }
  guarded(() => callback(outcome.code ? networkError(outcome) : null));
}

const getters = {
  bytesRead() {
    return this._bytesRead;
  },
  bytesWritten() {
    let waiting = 0;
    for (const { chunk } of this._writableState.getBuffer()) waiting += chunk.length;
    return this.bytesWrittenBefore + waiting + (this._writableState.writing ? this._writableState.writelen : 0);
  },
  pending() {
    return !this[HANDLE] || this.connecting;
  },
  readyState() {
    if (this.connecting) return 'opening';
    if (this.readable && this.writable) return 'open';
    if (this.readable) return 'readOnly';
    return this.writable ? 'writeOnly' : 'closed';
  },
  remoteAddress() {
    return this[HANDLE]?.remote?.[0];
  },
  remotePort() {
    return this[HANDLE]?.remote?.[1];
  },
  remoteFamily() {
    return this[HANDLE]?.remote?.[2];
  },
  localAddress() {
    return this[HANDLE]?.local?.[0];
  },
  localPort() {
    return this[HANDLE]?.local?.[1];
  },
  localFamily() {
    return this[HANDLE]?.local?.[2];
  },
  bufferSize() {
    return this[HANDLE] ? this.writableLength : undefined;
  },
  _handle() {
    return this[HANDLE] ?? null;
  },
};
for (const [name, get] of Object.entries(getters)) Object.defineProperty(Socket.prototype, name, { get, configurable: true, enumerable: true });
