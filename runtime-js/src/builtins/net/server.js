// `net.Server`: listens and makes a socket for each connection.
import { EventEmitter } from 'node:events';
import { getDefaultHighWaterMark } from 'node:stream';
import { ipVersion, listen as listenNative, listenPath } from 'lmthing:internal/native/network';
import { unlinkSync } from 'node:fs';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { guarded } from '../shared/guarded.js';
import { networkError } from './errors.js';
import { initializeLoopHandle, refMethods, setActive } from './loop-handle.js';
import { addressesOf } from './lookup.js';
import { connectArguments, ON_DESTROY, Socket } from './socket.js';

const LISTENER = Symbol('listener');
/** Between `listen` and the `listening` event. */
const OPENING = Symbol('opening');
/** Counts calls of `listen` and `close`, so that a lookup for an earlier call is ignored. */
const ROUND = Symbol('round');
/** Makes the socket of an incoming connection; overridden by `tls`. */
export const CREATE_SOCKET = Symbol('welcome');
/** Emits the event for a new socket. */
export const EMIT_SOCKET = Symbol('announce');

export function Server(given, listener) {
  if (!(this instanceof Server)) return new Server(given, listener);
  EventEmitter.call(this);
  const [options, onConnection] = typeof given === 'function' ? [{}, given] : [given ?? {}, listener];
  if (typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
  if (onConnection) this.on('connection', onConnection);
  this._connections = 0;
  this.allowHalfOpen = Boolean(options.allowHalfOpen);
  this.pauseOnConnect = Boolean(options.pauseOnConnect);
  this.noDelay = Boolean(options.noDelay);
  this.keepAlive = Boolean(options.keepAlive);
  this.highWaterMark = options.highWaterMark ?? getDefaultHighWaterMark(false);
  this[LISTENER] = undefined;
  this[OPENING] = false;
  Object.defineProperty(this, ROUND, { value: 0, writable: true });
  initializeLoopHandle(this);
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

async function resolveAddress(host) {
  if (ipVersion(host) !== 0) return host;
  return (await addressesOf(host))[0].address;
}

/** Without a host: all addresses, of both families if the system has both. */
function listenAnywhere(port) {
  const outcome = listenNative('::', port);
  return outcome.code === 'EADDRNOTAVAIL' || outcome.code === 'UNKNOWN' || outcome.number === 97 ? listenNative('0.0.0.0', port) : outcome;
}

/** Looks up the name, then listens unless the server was closed in the meantime. */
async function openLater(server, options, port) {
  const round = server[ROUND];
  try {
    const host = await resolveAddress(options.host);
    if (server[ROUND] === round) finishListening(server, options, openNow({ host }, port));
  } catch (error) {
    if (server[ROUND] === round) fail(server, error);
  }
}

function begin(server, listener, path) {
  server[LISTENER] = listener;
  server._path = path;
  accept(server, listener);
}

async function accept(server, listener) {
  for (let outcome = await listener.accept(); outcome; outcome = await listener.accept()) {
    if (outcome.code) continue;
    if (server.maxConnections && server._connections >= server.maxConnections) {
      const { local, remote } = outcome.value;
      outcome.value.close();
      guarded(() => server.emit('drop', local && { localAddress: local[0], localPort: local[1], localFamily: local[2], remoteAddress: remote?.[0], remotePort: remote?.[1], remoteFamily: remote?.[2] }));
      continue;
    }
    welcome(server, outcome.value);
  }
}

function welcome(server, handle) {
  server._connections += 1;
  const socket = server[CREATE_SOCKET](handle);
  socket.server = server;
  socket[ON_DESTROY] = () => {
    server._connections -= 1;
    emitClosed(server);
  };
  if (server.noDelay) socket.setNoDelay(true);
  if (server.keepAlive) socket.setKeepAlive(true);
  guarded(() => server[EMIT_SOCKET](socket));
}

function emitClosed(server) {
  if (server[LISTENER] || server._connections > 0 || !server.closing) return;
  server.closing = false;
  process.nextTick(() => server.emit('close'));
}

const methods = {
  [CREATE_SOCKET](handle) {
    const socket = new Socket({ handle, allowHalfOpen: this.allowHalfOpen, highWaterMark: this.highWaterMark });
    if (this.pauseOnConnect) socket.pause();
    else socket.read(0);
    return socket;
  },
  [EMIT_SOCKET](socket) {
    this.emit('connection', socket);
  },
  listen(...values) {
    const [options, callback] = values.length === 0 || typeof values[0] === 'function' ? [{ port: 0 }, values[0]] : connectArguments(values);
    if (this[LISTENER] || this[OPENING]) throw nodeError(Error, 'ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.');
    if (options.port === undefined || options.port === null) options.port = 0;
    const port = Number(options.port);
    if (!options.path && (!Number.isInteger(port) || port < 0 || port > 65535)) {
      const { port: value } = options;
      throw nodeError(RangeError, 'ERR_SOCKET_BAD_PORT', `options.port should be >= 0 and < 65536. Received type ${typeof value} (${typeof value === 'string' ? `'${value}'` : value}).`);
    }
    if (callback) this.once('listening', callback);
    if (options.signal !== undefined) closeBy(this, options.signal);
    this[OPENING] = true;
    setActive(this, true);
    // An address is bound synchronously, so that `address()` works immediately; a name must be looked up first.
    if (options.path || !options.host || ipVersion(options.host) !== 0) {
      let opened;
      try {
        opened = openNow(options, port);
      } catch (error) {
        // Permission was refused.
        this[OPENING] = false;
        setActive(this, false);
        throw error;
      }
      finishListening(this, options, opened);
    } else openLater(this, options, port);
    return this;
  },
  address() {
    if (this._path !== undefined && this[LISTENER]) return this._path;
    const address = this[LISTENER]?.address;
    return address ? { address: address[0], family: address[2], port: address[1] } : null;
  },
  close(callback) {
    if (callback) {
      if (this[LISTENER]) this.once('close', callback);
      else this.once('close', () => callback(nodeError(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.')));
    }
    this[LISTENER]?.close();
    if (this._path !== undefined && this[LISTENER]) {
      try {
        unlinkSync(this._path);
      } catch {
        // Already removed.
      }
    }
    this[LISTENER] = undefined;
    this[OPENING] = false;
    this[ROUND] += 1;
    setActive(this, false);
    this.closing = true;
    emitClosed(this);
    return this;
  },
  getConnections(callback) {
    process.nextTick(callback, null, this._connections);
    return this;
  },
  ...refMethods,
};

function closeBy(server, signal) {
  if (typeof signal?.addEventListener !== 'function') throw invalidArgumentType('options.signal', 'an instance of AbortSignal', signal);
  const close = () => server.close();
  if (signal.aborted) {
    process.nextTick(close);
    return;
  }
  signal.addEventListener('abort', close, { once: true });
  server.once('close', () => signal.removeEventListener('abort', close));
}

function openNow({ path, host }, port) {
  if (path) return [listenPath(path), { address: path }];
  return host ? [listenNative(host, port), { address: host, port }] : [listenAnywhere(port), { address: '::', port }];
}

function finishListening(server, options, [outcome, where]) {
  if (outcome.code) return fail(server, networkError(outcome, where));
  begin(server, outcome.value, options.path);
  process.nextTick(() => {
    opened(server);
    if (server[LISTENER]) server.emit('listening');
  });
  return undefined;
}

function fail(server, error) {
  process.nextTick(() => {
    opened(server);
    server.emit('error', error);
  });
}

function opened(server) {
  server[OPENING] = false;
  setActive(server, Boolean(server[LISTENER]));
}

for (const name of Reflect.ownKeys(methods)) Object.defineProperty(Server.prototype, name, { value: methods[name], writable: true, configurable: true });
Object.defineProperty(Server.prototype, 'listening', {
  get() {
    return Boolean(this[LISTENER]);
  },
  configurable: true,
  enumerable: true,
});
if (Symbol.asyncDispose) {
  Object.defineProperty(Server.prototype, Symbol.asyncDispose, {
    value() {
      return this[LISTENER] ? new Promise((resolve, reject) => this.close((error) => (error ? reject(error) : resolve()))) : Promise.resolve();
    },
    writable: true,
    configurable: true,
  });
}
