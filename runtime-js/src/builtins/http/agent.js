// `http.Agent`: assigns connections to requests, and keeps idle ones.
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { invalidArgumentType } from './checks.js';

export function Agent(given) {
  if (!(this instanceof Agent)) return new Agent(given);
  EventEmitter.call(this);
  this.defaultPort = 80;
  this.protocol = 'http:';
  this.options = { __proto__: null, ...given };
  if (this.options.noDelay === undefined) this.options.noDelay = true;
  this.options.path = null;
  this.requests = Object.create(null);
  this.sockets = Object.create(null);
  this.freeSockets = Object.create(null);
  this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
  this.keepAlive = this.options.keepAlive || false;
  this.maxSockets = this.options.maxSockets || Agent.defaultMaxSockets;
  this.maxFreeSockets = this.options.maxFreeSockets || 256;
  this.scheduling = this.options.scheduling || 'lifo';
  this.maxTotalSockets = this.options.maxTotalSockets ?? Infinity;
  this.totalSocketCount = 0;
  this.on('free', (socket, options) => this._freed(socket, options));
}
Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Agent, EventEmitter);
Agent.defaultMaxSockets = Infinity;

function remove(lists, name, item) {
  const list = lists[name];
  const index = list?.indexOf(item) ?? -1;
  if (index < 0) return false;
  list.splice(index, 1);
  if (list.length === 0) delete lists[name];
  return true;
}

const methods = {
  createConnection(options, callback) {
    return connect(options, callback);
  },
  getName(options = {}) {
    let name = `${options.host || 'localhost'}:${options.port || ''}:${options.localAddress || ''}`;
    if (options.family === 4 || options.family === 6) name += `:${options.family}`;
    if (options.socketPath) name += `:${options.socketPath}`;
    return name;
  },
  addRequest(request, given, port, localAddress) {
    const options = { ...(typeof given === 'string' ? { host: given, port, localAddress } : given), ...this.options };
    if (options.socketPath) options.path = options.socketPath;
    options.servername ??= serverName(options, request);
    const name = this.getName(options);
    const free = this.freeSockets[name] ?? [];
    let socket;
    while (free.length > 0 && !socket) {
      socket = this.scheduling === 'fifo' ? free.shift() : free.pop();
      if (socket.destroyed || !socket.writable) socket = undefined;
    }
    if (free.length === 0) delete this.freeSockets[name];
    if (socket) {
      this.reuseSocket(socket, request);
      (this.sockets[name] ??= []).push(socket);
      request.onSocket(socket);
    } else if ((this.sockets[name]?.length ?? 0) < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
      this.createSocket(request, options, (error, made) => request.onSocket(made, error));
    } else {
      (this.requests[name] ??= []).push([request, options]);
    }
  },
  createSocket(request, given, callback) {
    const options = { ...given, ...this.options };
    if (options.socketPath) options.path = options.socketPath;
    options.servername ??= serverName(options, request);
    const name = this.getName(options);
    options._agentKey = name;
    options.encoding = null;
    let isMade = false;
    const made = (error, socket) => {
      if (isMade) return;
      isMade = true;
      if (error) return callback(error);
      (this.sockets[name] ??= []).push(socket);
      this.totalSocketCount += 1;
      this._watch(socket, name, options);
      return callback(null, socket);
    };
    // Other agents return the connection or pass it to the callback.
    if (this.keepAlive) options.keepAlive = true;
    const socket = this.createConnection(options, made);
    if (socket) made(null, socket);
  },
  _watch(socket, name, options) {
    socket._agentOptions = options;
    const onFree = () => this.emit('free', socket, options);
    const onTimeout = () => {
      if (this.freeSockets[name]?.includes(socket)) socket.destroy();
    };
    const onClose = () => {
      const wasKnown = remove(this.sockets, name, socket);
      if (remove(this.freeSockets, name, socket) || wasKnown) this.totalSocketCount -= 1;
      this._next(name);
    };
    socket.on('free', onFree);
    socket.on('timeout', onTimeout);
    socket.on('close', onClose);
    socket.on('agentRemove', () => {
      for (const [event, listener] of [['free', onFree], ['timeout', onTimeout], ['close', onClose]]) socket.removeListener(event, listener);
      if (remove(this.sockets, name, socket)) this.totalSocketCount -= 1;
    });
    if (this.options.timeout) socket.setTimeout(this.options.timeout);
  },
  /** Assigns a free slot to a waiting request. */
  _next(name) {
    const waiting = this.requests[name]?.shift();
    if (this.requests[name]?.length === 0) delete this.requests[name];
    if (!waiting) return;
    const [request, options] = waiting;
    this.createSocket(request, options, (error, socket) => request.onSocket(socket, error));
  },
  _freed(socket, options) {
    const name = this.getName(options);
    if (!socket.writable) return socket.destroy();
    const waiting = this.requests[name]?.shift();
    if (this.requests[name]?.length === 0) delete this.requests[name];
    if (waiting) {
      this.reuseSocket(socket, waiting[0]);
      return waiting[0].onSocket(socket);
    }
    const free = this.freeSockets[name] ?? [];
    const isKept = this.keepAlive && free.length < this.maxFreeSockets && (this.sockets[name]?.length ?? 0) <= this.maxSockets;
    if (!isKept || !this.keepSocketAlive(socket)) return socket.destroy();
    remove(this.sockets, name, socket);
    socket._httpMessage = null;
    (this.freeSockets[name] ??= []).push(socket);
    return undefined;
  },
  keepSocketAlive(socket) {
    socket.setKeepAlive(true, this.keepAliveMsecs);
    socket.unref();
    if (this.options.timeout) socket.setTimeout(this.options.timeout);
    return true;
  },
  reuseSocket(socket, request) {
    request.reusedSocket = true;
    socket.ref();
  },
  removeSocket(socket, options) {
    const name = this.getName(options);
    remove(this.sockets, name, socket);
    remove(this.freeSockets, name, socket);
  },
  destroy() {
    for (const lists of [this.freeSockets, this.sockets]) for (const list of Object.values(lists)) for (const socket of [...list]) socket.destroy();
  },
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(Agent.prototype, name, { value, writable: true, configurable: true });

/** The host name that the certificate must have. */
function serverName(options, request) {
  const header = request.getHeader?.('host');
  if (!header) return options.host;
  if (typeof header !== 'string') throw invalidArgumentType('options.headers.host', 'of type string', header);
  return header.startsWith('[') ? header.slice(1, header.indexOf(']')) : header.split(':', 1)[0];
}

export const globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });
