// `http.Server`: options, connections, and closing.
import { invalidArgumentType } from './checks.js';
import { IncomingMessage } from './incoming.js';
import { ServerResponse } from './response.js';
import { BUSY, CONNECTIONS, ServerConnection } from './server-connection.js';

/** `event` is the event that reports connections. */
function initialize(server, options, listener, event) {
  if (options !== undefined && options !== null && typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
  server.timeout = 0;
  server.keepAliveTimeout = options?.keepAliveTimeout ?? 5000;
  server.headersTimeout = options?.headersTimeout ?? 60000;
  server.requestTimeout = options?.requestTimeout ?? 300000;
  server.maxHeadersCount = null;
  server.maxRequestsPerSocket = 0;
  server.httpAllowHalfOpen = false;
  server.requireHostHeader = options?.requireHostHeader ?? true;
  server.messageOptions = { IncomingMessage: options?.IncomingMessage ?? IncomingMessage, ServerResponse: options?.ServerResponse ?? ServerResponse, joinDuplicateHeaders: options?.joinDuplicateHeaders, maxHeaderSize: options?.maxHeaderSize };
  server[CONNECTIONS] = new Set();
  if (listener) server.on('request', listener);
  server.on(event, (socket) => serve(server, socket));
}

const serverMethods = {
  closeAllConnections() {
    for (const socket of this[CONNECTIONS]) socket.destroy();
  },
  closeIdleConnections() {
    for (const socket of this[CONNECTIONS]) if (!socket[BUSY]) socket.destroy();
  },
  setTimeout(milliseconds, callback) {
    this.timeout = milliseconds;
    if (callback) this.on('timeout', callback);
    return this;
  },
};

/**
 * Makes the class `Server` of `http` and `https`. `Base` is that of `net` or `tls`, whose `event` reports connections;
 * `settings` maps the options to those of `Base`.
 */
export function serverClass(Base, settings, event) {
  function Server(given, listener) {
    if (!(this instanceof Server)) return new Server(given, listener);
    const [options, onRequest] = typeof given === 'function' ? [undefined, given] : [given, listener];
    Base.call(this, settings(options));
    initialize(this, options, onRequest, event);
  }
  Object.setPrototypeOf(Server.prototype, Base.prototype);
  Object.setPrototypeOf(Server, Base);
  Server.prototype.close = function close(callback) {
    this.closeIdleConnections();
    return Base.prototype.close.call(this, callback);
  };
  Object.assign(Server.prototype, serverMethods);
  return Server;
}

function serve(server, socket) {
  server[CONNECTIONS].add(socket);
  return new ServerConnection(server, socket);
}
