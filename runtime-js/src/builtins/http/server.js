// The server's side of a connection: requests in, one after the other, answers out in the same order.
import { invalidArgumentType } from './checks.js';
import { IncomingMessage } from './incoming.js';
import { MessageParser } from './parser.js';
import { ServerResponse } from './response.js';

const CONNECTIONS = Symbol('connections');
const BUSY = Symbol('busy');

/** What a server begins with; its `event` gives connections. */
function initialize(server, options, listener, event) {
  if (options !== undefined && (typeof options !== 'object' || options === null)) throw invalidArgumentType('options', 'of type object', options);
  server.timeout = 0;
  server.keepAliveTimeout = options?.keepAliveTimeout ?? 5000;
  server.headersTimeout = options?.headersTimeout ?? 60000;
  server.requestTimeout = options?.requestTimeout ?? 300000;
  server.maxHeadersCount = null;
  server.maxRequestsPerSocket = 0;
  server.httpAllowHalfOpen = false;
  server.requireHostHeader = options?.requireHostHeader ?? true;
  server.messageOptions = { IncomingMessage: options?.IncomingMessage ?? IncomingMessage, ServerResponse: options?.ServerResponse ?? ServerResponse, joinDuplicateHeaders: options?.joinDuplicateHeaders };
  server[CONNECTIONS] = new Set();
  if (listener) server.on('request', listener);
  server.on(event, (socket) => serve(server, socket));
}

const serverMethods = {
  setTimeout(milliseconds, callback) {
    this.timeout = milliseconds;
    if (callback) this.on('timeout', callback);
    return this;
  },
  closeAllConnections() {
    for (const socket of this[CONNECTIONS]) socket.destroy();
  },
  closeIdleConnections() {
    for (const socket of this[CONNECTIONS]) if (!socket[BUSY]) socket.destroy();
  },
};

/**
 * The class `Server` of `http` and `https`: `Base` is that of `net` or `tls`, whose `event` gives connections, and
 * `settings` says from the options what it is made with.
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
  Object.assign(Server.prototype, serverMethods);
  Server.prototype.close = function close(callback) {
    this.closeIdleConnections();
    return Base.prototype.close.call(this, callback);
  };
  return Server;
}

/** One connection: its parser, and the exchange that is under way. */
class ServerConnection {
  #server;
  #socket;
  #parser;
  #request;
  #response;
  #held = [];
  #onData = (bytes) => this.#take(bytes);

  constructor(server, socket) {
    this.#server = server;
    this.#socket = socket;
    this.#parser = new MessageParser('request', {
      head: (message) => this.#head(message),
      body: (bytes) => this.#body(bytes),
      end: (trailers) => this.#end(trailers),
    });
    socket.on('data', this.#onData);
    socket.on('end', () => this.#inputEnded());
    socket.on('close', () => this.#closed());
    socket.on('error', (error) => this.#failed(error));
    socket.on('timeout', () => this.#timedOut());
    socket.on('drain', () => this.#response?.writableNeedDrain && this.#response.emit('drain'));
    if (server.timeout) socket.setTimeout(server.timeout);
  }

  #take(bytes) {
    // The next request waits until this one has been answered.
    if (this.#request?.complete && this.#response && !this.#response.over) {
      this.#held.push(bytes);
      if (this.#held.length > 16) this.#socket.pause();
      return;
    }
    let rest;
    try {
      rest = this.#parser.execute(bytes);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    if (rest !== undefined) this.#afterStop(rest);
  }

  /** The parser stopped: for another protocol, or because an answer is due first. */
  #afterStop(rest) {
    const request = this.#request;
    if (!request?.upgrade) return;
    const socket = this.#socket;
    socket.removeListener('data', this.#onData);
    socket.removeAllListeners('end');
    socket.removeAllListeners('timeout');
    socket.removeAllListeners('drain');
    socket.removeAllListeners('error');
    socket.setTimeout(0);
    this.#server[CONNECTIONS].delete(socket);
    this.#server.emit(request.method === 'CONNECT' ? 'connect' : 'upgrade', request, socket, rest);
  }

  #head(message) {
    const server = this.#server;
    const { IncomingMessage: Incoming, ServerResponse: Response, joinDuplicateHeaders } = server.messageOptions;
    const request = new Incoming(this.#socket);
    request._begin(message);
    request.method = message.method;
    request.url = message.url;
    if (joinDuplicateHeaders) request.joinDuplicateHeaders = true;
    this.#request = request;
    this.#socket[BUSY] = true;
    const { connection = '', expect = '' } = request.headers;
    const wantsUpgrade = /\bupgrade\b/i.test(connection) && request.headers.upgrade !== undefined && server.listenerCount('upgrade') > 0;
    if (wantsUpgrade || message.method === 'CONNECT') {
      if (message.method === 'CONNECT' && server.listenerCount('connect') === 0) {
        this.#socket.destroy();
        return 'stop';
      }
      request.upgrade = true;
      return 'stop';
    }
    const response = new Response(request, { highWaterMark: this.#socket.writableHighWaterMark });
    this.#prepare(response, connection);
    if (server.requireHostHeader && request.httpVersion === '1.1' && request.headers.host === undefined) {
      response.writeHead(400, ['Connection', 'close']).end();
      return undefined;
    }
    this.#announce(request, response, expect);
    return undefined;
  }

  #prepare(response, connection) {
    const server = this.#server;
    const isNew = response.req.httpVersionMajor === 1 && response.req.httpVersionMinor >= 1;
    response.shouldKeepAlive = isNew ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection);
    response._keepAliveTimeout = server.keepAliveTimeout;
    response._sent = () => this.#answered(response);
    this.#response = response;
    this.#socket.setTimeout(server.timeout);
    response.assignSocket(this.#socket);
  }

  #announce(request, response, expect) {
    const server = this.#server;
    const isExpecting = /^100-continue$/i.test(expect);
    if (isExpecting && server.listenerCount('checkContinue') > 0) server.emit('checkContinue', request, response);
    else if (expect !== '' && !isExpecting) {
      if (server.listenerCount('checkExpectation') > 0) server.emit('checkExpectation', request, response);
      else response.writeHead(417).end();
    } else {
      if (isExpecting) response.writeContinue();
      server.emit('request', request, response);
    }
  }

  #body(bytes) {
    if (this.#request.destroyed || this.#request._dumped) return;
    // Not its own memory: what is parsed next may follow in the same buffer.
    if (!this.#request.push(Buffer.from(bytes))) this.#socket.pause();
  }

  #end(trailers) {
    const request = this.#request;
    request.rawTrailers = trailers;
    request.complete = true;
    request.push(null);
  }

  #answered(response) {
    const socket = this.#socket;
    const request = response.req;
    response.over = true;
    response.detachSocket(socket);
    response._close();
    if (!request._consumed || !request.complete) request._dump();
    if (response._last || !response.shouldKeepAlive) {
      socket.destroySoon();
      return;
    }
    socket[BUSY] = false;
    if (!this.#server.listening && request.complete) {
      socket.destroySoon();
      return;
    }
    if (this.#server.keepAliveTimeout) socket.setTimeout(this.#server.keepAliveTimeout);
    socket.resume();
    this.#response = undefined;
    for (const bytes of this.#held.splice(0)) this.#take(bytes);
  }

  #inputEnded() {
    if (this.#request?.upgrade) return;
    const isWhole = this.#parser.finish();
    // As Node does unless told otherwise: who says no more does not wait for an answer.
    if (!isWhole || !this.#server.httpAllowHalfOpen || !this.#response) this.#socket.end();
    else this.#response._last = true;
  }

  #refuse(error) {
    if (this.#server.listenerCount('clientError') > 0) {
      this.#server.emit('clientError', error, this.#socket);
      return;
    }
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    if (this.#socket.writable && !this.#response?.headersSent) this.#socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    this.#socket.destroySoon();
  }

  #failed(error) {
    if (this.#server.listenerCount('clientError') > 0) this.#server.emit('clientError', error, this.#socket);
  }

  #timedOut() {
    const wasTold = this.#request && !this.#request.complete && this.#request.emit('timeout', this.#socket);
    const isAnswering = this.#response?.emit('timeout', this.#socket);
    const isServers = this.#server.emit('timeout', this.#socket);
    if (!wasTold && !isAnswering && !isServers) this.#socket.destroy();
  }

  #closed() {
    this.#server[CONNECTIONS].delete(this.#socket);
    const [request, response] = [this.#request, this.#response];
    // Who listens for `close` of the request learns that its client has gone, also when the request had come whole.
    const isUnanswered = response && !response.over;
    if (request && !request.destroyed && (!request.complete || isUnanswered)) {
      request.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    }
    if (isUnanswered) {
      response.over = true;
      response.socket = null;
      response._close();
    }
  }
}

function serve(server, socket) {
  server[CONNECTIONS].add(socket);
  return new ServerConnection(server, socket);
}
