// `http.ClientRequest`.
import { nodeError } from '../shared/errors.js';
import { Agent, globalAgent } from './agent.js';
import { invalidArgumentType, isToken } from './checks.js';
import { Exchange, hangUp } from './exchange.js';
import { HEADERS, OutgoingMessage } from './outgoing.js';

const BARE_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Request options from a URL. */
export function urlToOptions(url) {
  const { hostname, hash, search, pathname, href, port, protocol, username, password } = url;
  const options = {
    __proto__: null,
    ...url,
    protocol,
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    hash,
    search,
    pathname,
    path: `${pathname || ''}${search || ''}`,
    href,
  };
  if (port !== '') options.port = Number(port);
  if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return options;
}

function optionsOf(input, given, callback) {
  let url = input;
  if (typeof url === 'string') url = new URL(url);
  const isUrl = url instanceof URL || (url?.href && url.protocol && url.auth === undefined && url.path === undefined);
  if (!isUrl) return [{ ...input }, typeof given === 'function' ? given : callback];
  if (typeof given === 'function') return [urlToOptions(url), given];
  return [{ ...urlToOptions(url), ...given }, callback];
}

export function ClientRequest(input, given, callback) {
  if (!(this instanceof ClientRequest)) return new ClientRequest(input, given, callback);
  OutgoingMessage.call(this);
  const [options, onResponse] = optionsOf(input, given, callback);
  this._prepareAgent(options);
  this._checkTarget(options);
  this._prepareHeaders(options);
  if (onResponse) this.once('response', onResponse);
  if (options.timeout !== undefined) this.timeout = checkedTimeout(options.timeout);
  this.res = null;
  this.aborted = false;
  this.reusedSocket = false;
  this.maxHeadersCount = null;
  Object.defineProperty(this, '_maxHeaderSize', { value: options.maxHeaderSize });
  if (options.signal) follow(this, options.signal);
  this._ended = false;
  this._start(options);
}
Object.setPrototypeOf(ClientRequest.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ClientRequest, OutgoingMessage);

function checkedTimeout(value) {
  if (typeof value !== 'number') throw invalidArgumentType('timeout', 'of type number', value);
  return value;
}

function follow(request, signal) {
  const abort = () => {
    const error = new Error('The operation was aborted', { cause: signal.reason });
    request.destroy(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
  };
  if (signal.aborted) process.nextTick(abort);
  else {
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
  }
}

const methods = {
  _prepareAgent(options) {
    const fallback = options._defaultAgent ?? globalAgent;
    let { agent } = options;
    if (agent === false) agent = new fallback.constructor();
    else if (agent === null || agent === undefined) {
      if (typeof options.createConnection !== 'function') agent = fallback;
    } else if (typeof agent.addRequest !== 'function') throw invalidArgumentType('options.agent', 'one of Agent-like Object, undefined, or false', agent);
    this.agent = agent;
    const protocol = options.protocol || fallback.protocol;
    const expected = agent?.protocol ?? fallback.protocol;
    if (protocol !== expected) throw nodeError(TypeError, 'ERR_INVALID_PROTOCOL', `Protocol "${protocol}" not supported. Expected "${expected}"`);
    this.protocol = protocol;
    options.port ||= options.defaultPort || agent?.defaultPort || fallback.defaultPort;
    options.defaultPort ??= agent?.defaultPort ?? fallback.defaultPort;
  },
  _checkTarget(options) {
    for (const name of ['hostname', 'host']) {
      const value = options[name];
      if (value !== undefined && value !== null && typeof value !== 'string') throw invalidArgumentType(`options.${name}`, 'of type string or one of undefined or null', value);
    }
    options.host = options.hostname || options.host || 'localhost';
    this.host = options.host;
    if (options.path !== undefined && options.path !== null && /[^\u0021-\u00ff]/.test(String(options.path))) {
      throw nodeError(TypeError, 'ERR_UNESCAPED_CHARACTERS', 'Request path contains unescaped characters');
    }
    const { method } = options;
    if (method !== undefined && method !== null && typeof method !== 'string') throw invalidArgumentType('options.method', 'of type string', method);
    if (method && !isToken(method)) throw nodeError(TypeError, 'ERR_INVALID_HTTP_TOKEN', `Method must be a valid HTTP token ["${method}"]`);
    this.method = method ? method.toUpperCase() : 'GET';
    this.path = options.path || '/';
    this.socketPath = options.socketPath;
    this.useChunkedEncodingByDefault = !BARE_METHODS.has(this.method);
    this.shouldKeepAlive = this.agent ? Boolean(this.agent.keepAlive) || (Number.isFinite(this.agent.maxSockets) && this.agent.maxSockets > 0) : false;
  },
  _prepareHeaders(options) {
    const { headers, host, port, defaultPort, auth, setHost = true } = options;
    if (Array.isArray(headers)) {
      // Flat pairs are passed through unchanged.
      const flat = headers.flat();
      for (let index = 0; index < flat.length; index += 2) this.appendHeader(flat[index], flat[index + 1]);
    } else for (const [name, value] of Object.entries(headers ?? {})) this.setHeader(name, value);
    if (host && setHost && !this.hasHeader('host')) {
      const shown = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
      this.setHeader('Host', port && Number(port) !== defaultPort ? `${shown}:${port}` : shown);
    }
    if (auth && !this.hasHeader('authorization')) this.setHeader('Authorization', `Basic ${Buffer.from(auth).toString('base64')}`);
    if (this.hasHeader('expect')) this._implicitHeader();
  },
  _start(options) {
    if (options.socketPath) options.path = options.socketPath;
    else delete options.path;
    if (this.agent) {
      this.agent.addRequest(this, options);
      return;
    }
    this._last = true;
    let isMade = false;
    const made = (error, socket) => {
      if (isMade) return;
      isMade = true;
      this.onSocket(socket, error);
    };
    const socket = options.createConnection(options, made);
    if (socket) made(null, socket);
  },
  _implicitHeader() {
    if (this._header) throw nodeError(Error, 'ERR_HTTP_HEADERS_SENT', 'Cannot render headers after they are sent to the client');
    this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, this[HEADERS].values());
  },
  /** Called by the agent with a connection or an error. */
  onSocket(socket, error) {
    process.nextTick(() => {
      if (this.destroyed || error) {
        const failure = error ?? this._failure;
        if (socket && !error) {
          // Nothing was sent yet, so the connection can be reused.
          if (this.agent?.keepAlive && !failure) socket.emit('free');
          else socket.destroy();
        }
        if (error && !this.destroyed) this._fail(error);
        else this._finish();
        return;
      }
      this._useSocket(socket);
    });
  },
  _useSocket(socket) {
    this._exchange = new Exchange(this, socket);
    socket._httpMessage = this;
    if (this.timeout !== undefined) this._listenTimeout(socket);
    this.emit('socket', socket);
    if (!this.destroyed) this._attach(socket);
  },
  _listenTimeout(socket) {
    socket.setTimeout(this.timeout);
  },
  setTimeout(milliseconds, callback) {
    this.timeout = milliseconds;
    if (callback) this.once('timeout', callback);
    if (this.socket) this.socket.setTimeout(milliseconds);
    return this;
  },
  setNoDelay(wanted) {
    this._withSocket((socket) => socket.setNoDelay(wanted));
  },
  setSocketKeepAlive(wanted, delay) {
    this._withSocket((socket) => socket.setKeepAlive(wanted, delay));
  },
  _withSocket(run) {
    if (this.socket) run(this.socket);
    else this.once('socket', run);
  },
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    process.nextTick(() => this.emit('abort'));
    this.destroy();
  },
  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this._failure = error;
    this.res?._dump();
    const failure = error ?? (this.res ? undefined : hangUp());
    // When the connection closes, the exchange ends the response.
    this.socket?.destroy(this.res ? error : undefined);
    if (!this.res && failure) process.nextTick(() => this._tell(failure));
    this._finish();
    return this;
  },
  /** Destroys the request with an error. */
  _fail(error) {
    if (this.destroyed) return;
    this.destroyed = true;
    this._failure = error;
    this._tell(error);
    this._finish();
  },
  _tell(error) {
    if (this._told) return;
    this._told = true;
    this.emit('error', error);
  },
  _finish() {
    if (this._isOver) return;
    this._isOver = true;
    process.nextTick(() => this.emit('close'));
  },
  clearTimeout(callback) {
    this.setTimeout(0, callback);
  },
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(ClientRequest.prototype, name, { value, writable: true, configurable: true });

export { Agent };
