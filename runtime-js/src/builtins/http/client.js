// `http.ClientRequest`: one request of a client, and its answer.
import { nodeError } from '../shared/errors.js';
import { Agent, globalAgent } from './agent.js';
import { invalidArgumentType, isToken } from './checks.js';
import { IncomingMessage } from './incoming.js';
import { HEADERS, OutgoingMessage } from './outgoing.js';
import { isParseError, MessageParser } from './parser.js';

const BARE_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** The options that a URL stands for. */
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
      // As they are, in pairs or one after the other.
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
  /** Called by the agent when there is a connection, or when there is none. */
  onSocket(socket, error) {
    process.nextTick(() => {
      if (this.destroyed || error) {
        const failure = error ?? this._failure;
        if (socket && !error) {
          // Nothing was sent over it yet; somebody else can use it.
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
    // When the connection is closed, the exchange ends the answer.
    this.socket?.destroy(this.res ? error : undefined);
    if (!this.res && failure) process.nextTick(() => this._tell(failure));
    this._finish();
    return this;
  },
  /** The error that ends the request. */
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

const hangUp = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** A request on its connection: what comes back goes to it until the answer is whole. */
class Exchange {
  #request;
  #socket;
  #parser;
  #response;
  #listeners;

  constructor(request, socket) {
    this.#request = request;
    this.#socket = socket;
    this.#parser = new MessageParser('response', {
      head: (message) => this.#head(message),
      body: (bytes) => this.#body(bytes),
      end: (trailers) => this.#end(trailers),
    }, request._maxHeaderSize);
    this.#listeners = {
      data: (bytes) => this.#take(bytes),
      end: () => this.#inputEnded(),
      close: () => this.#closed(),
      error: (error) => this.#failed(error),
      timeout: () => request.emit('timeout'),
      drain: () => request.writableNeedDrain && request.emit('drain'),
    };
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
  }

  /** Lets go of the connection. */
  give() {
    for (const [event, listener] of Object.entries(this.#listeners)) this.#socket.removeListener(event, listener);
    // An error after this is nobody's.
    if (this.#request.destroyed && !this.#response?.complete) this.#socket.on('error', () => {});
  }

  #take(bytes) {
    let rest;
    try {
      rest = this.#parser.execute(bytes);
    } catch (error) {
      if (!isParseError(error)) throw error;
      this.give();
      this.#socket.destroy();
      this.#request._fail(error);
      return;
    }
    if (rest !== undefined && this.#response?.upgrade) this.#hand(rest);
  }

  #head(message) {
    const request = this.#request;
    const { statusCode } = message;
    if (statusCode >= 100 && statusCode < 200 && statusCode !== 101) return this.#information(message);
    const response = new IncomingMessage(this.#socket);
    response._begin(message);
    Object.assign(response, { statusCode, statusMessage: message.statusMessage, req: request });
    request.res = response;
    this.#response = response;
    if (statusCode === 101 || (request.method === 'CONNECT' && statusCode >= 200 && statusCode < 300)) {
      response.upgrade = true;
      return 'stop';
    }
    if (/\bclose\b/i.test(response.headers.connection ?? '') || (message.minor === 0 && !/\bkeep-alive\b/i.test(response.headers.connection ?? ''))) request.shouldKeepAlive = false;
    if (request.aborted || !request.emit('response', response)) response._dump();
    return request.method === 'HEAD' || statusCode === 204 || statusCode === 304 ? 'none' : undefined;
  }

  #information({ statusCode, statusMessage, major, minor, rawHeaders }) {
    if (statusCode === 100) this.#request.emit('continue');
    const holder = Object.assign(new IncomingMessage(), { rawHeaders });
    this.#request.emit('information', { statusCode, statusMessage, httpVersion: `${major}.${minor}`, httpVersionMajor: major, httpVersionMinor: minor, headers: holder.headers, rawHeaders });
    return 'none';
  }

  #body(bytes) {
    const response = this.#response;
    if (!response || response.destroyed || response._dumped) return;
    if (!response.push(Buffer.from(bytes))) this.#socket.pause();
  }

  #end(trailers) {
    const response = this.#response;
    // The end of a message that only informed.
    if (!response) return undefined;
    response.complete = true;
    response.rawTrailers = trailers;
    response.push(null);
    if (response.readableEnded || response._dumped || response.destroyed) this.#release();
    else response.on('end', () => this.#release());
    return 'stop';
  }

  /** The answer has been read: the connection is free for the next request, or done with. */
  #release() {
    const [request, socket] = [this.#request, this.#socket];
    if (this.isReleased) return;
    this.isReleased = true;
    const isWhole = request.writableFinished;
    const free = () => {
      this.give();
      if (request.shouldKeepAlive && request.agent && !socket.destroyed) {
        if (request.timeout !== undefined) socket.setTimeout(0);
        socket.resume();
        process.nextTick(() => socket.emit('free'));
      } else socket.destroy();
      request.destroyed = true;
      request._finish();
    };
    // A server may answer before it has the whole request; the rest of it is still sent.
    if (isWhole || !request.shouldKeepAlive) free();
    else request.once('finish', free);
  }

  /** The connection speaks something else from now on. */
  #hand(rest) {
    const [request, response, socket] = [this.#request, this.#response, this.#socket];
    const event = request.method === 'CONNECT' ? 'connect' : 'upgrade';
    response.complete = true;
    this.give();
    socket.removeAllListeners('timeout');
    socket.emit('agentRemove');
    socket._httpMessage = null;
    if (request.listenerCount(event) === 0) {
      socket.destroy();
      return;
    }
    request.upgradeOrConnect = true;
    request.destroyed = true;
    request.emit(event, response, socket, rest);
    request._finish();
  }

  #inputEnded() {
    const wasWhole = this.#parser.finish();
    if (!wasWhole && this.#response && !this.#response.complete) return;
    if (!this.#response) {
      this.give();
      this.#socket.destroy();
      this.#request._fail(hangUp());
    }
  }

  #failed(error) {
    if (this.#response) {
      if (!this.#response.complete) this.#response.destroy(error);
      return;
    }
    this.give();
    this.#request._fail(error);
  }

  #closed() {
    this.#parser.finish();
    const response = this.#response;
    this.give();
    if (response && !response.complete) this.#cutOff();
    if (!response) this.#request._fail(hangUp());
    this.#request.destroyed = true;
    this.#request._finish();
  }

  /** The connection is gone in the middle of an answer. */
  #cutOff() {
    const response = this.#response;
    if (!response.destroyed && !response.readableEnded) response.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  }
}

export { Agent };
