// The server side of a connection: parses requests and sends responses in the same order.
import { isParseError, unexpectedEnd } from './parse-error.js';
import { MessageParser } from './parser.js';

export const CONNECTIONS = Symbol('connections');
/** Whether a connection is in use; one that has sent nothing yet counts as well. */
export const BUSY = Symbol('busy');
/** Pipelined responses after which reading pauses. */
const MANY = 16;

const REFUSALS = { HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large', HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large' };

/** The first of the pending responses owns the connection. */
export class ServerConnection {
  #server;
  #socket;
  #parser;
  /** The latest request, complete or not. */
  #request;
  #answers = [];
  #count = 0;
  #onData = (bytes) => this.#take(bytes);

  constructor(server, socket) {
    this.#server = server;
    this.#socket = socket;
    socket[BUSY] = true;
    this.#parser = new MessageParser('request', {
      head: (message) => this.#head(message),
      body: (bytes) => this.#body(bytes),
      end: (trailers) => this.#end(trailers),
    }, server.messageOptions.maxHeaderSize);
    socket.on('data', this.#onData);
    socket.on('end', () => this.#inputEnded());
    socket.on('close', () => this.#closed());
    socket.on('error', (error) => this.#failed(error));
    socket.on('timeout', () => this.#timedOut());
    socket.on('drain', () => this.#answers[0]?.writableNeedDrain && this.#answers[0].emit('drain'));
    if (server.timeout) socket.setTimeout(server.timeout);
  }

  #take(bytes) {
    let rest;
    try {
      rest = this.#parser.execute(bytes);
    } catch (error) {
      // Exceptions of listeners are not parse errors.
      if (!isParseError(error)) throw error;
      this.#refuse(error);
      return;
    }
    if (rest !== undefined) this.#afterStop(rest);
  }

  /** The connection switches to another protocol. */
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
    const { expect = '' } = request.headers;
    if ((message.isUpgrade && server.listenerCount('upgrade') > 0) || message.method === 'CONNECT') {
      if (message.method === 'CONNECT' && server.listenerCount('connect') === 0) {
        this.#socket.destroy();
        return 'stop';
      }
      request.upgrade = true;
      return 'stop';
    }
    const response = new Response(request, { highWaterMark: this.#socket.writableHighWaterMark });
    this.#prepare(response, message.keepsAlive);
    if (server.requireHostHeader && request.httpVersion === '1.1' && request.headers.host === undefined) {
      response.writeHead(400, ['Connection', 'close']).end();
    } else this.#announce(request, response, expect);
    return message.keepsAlive ? undefined : 'last';
  }

  #prepare(response, isKept) {
    const server = this.#server;
    response.shouldKeepAlive = isKept;
    response._keepAliveTimeout = server.keepAliveTimeout;
    response._sent = () => this.#answered(response);
    this.#count += 1;
    response._maxRequestsPerSocket = server.maxRequestsPerSocket;
    response.maxRequestsOnConnectionReached = server.maxRequestsPerSocket > 0 && server.maxRequestsPerSocket <= this.#count;
    this.#socket.setTimeout(server.timeout);
    // Responses are sent in request order.
    this.#answers.push(response);
    if (this.#answers.length === 1) response.assignSocket(this.#socket);
    else if (this.#answers.length > MANY) this.#socket.pause();
  }

  #announce(request, response, expect) {
    const server = this.#server;
    if (server.maxRequestsPerSocket > 0 && server.maxRequestsPerSocket < this.#count) {
      server.emit('dropRequest', request, this.#socket);
      response.writeHead(503).end();
      return;
    }
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
    // Copied, because the parser reuses the buffer.
    if (!this.#request.push(Buffer.from(bytes))) this.#socket.pause();
  }

  #end(trailers) {
    const request = this.#request;
    request.rawTrailers = trailers;
    request.complete = true;
    if (this.#answers.length === 0) this.#socket[BUSY] = false;
    request.push(null);
  }

  #answered(response) {
    const socket = this.#socket;
    const request = response.req;
    this.#answers.shift();
    response.detachSocket(socket);
    response._close();
    if (!request._consumed || !request.complete) request._dump();
    if (response._last || !response.shouldKeepAlive) {
      socket.destroySoon();
      return;
    }
    const [next] = this.#answers;
    if (next) {
      if (!socket.writable) return;
      socket.resume();
      next.assignSocket(socket);
      return;
    }
    socket[BUSY] = !this.#request.complete;
    if (!this.#server.listening && request.complete) {
      socket.destroySoon();
      return;
    }
    if (this.#server.keepAliveTimeout) socket.setTimeout(this.#server.keepAliveTimeout);
    socket.resume();
  }

  #inputEnded() {
    if (this.#request?.upgrade) return;
    if (!this.#parser.finish()) this.#refuse(unexpectedEnd());
    // Without `httpAllowHalfOpen`, the end of input ends the connection, as in Node.
    else if (!this.#server.httpAllowHalfOpen || this.#answers.length === 0) this.#socket.end();
    else this.#answers.at(-1)._last = true;
  }

  #refuse(error) {
    if (this.#server.listenerCount('clientError') > 0) {
      this.#server.emit('clientError', error, this.#socket);
      return;
    }
    const status = REFUSALS[error.code] ?? '400 Bad Request';
    if (this.#socket.writable && !this.#answers[0]?.headersSent) this.#socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    this.#socket.removeListener('data', this.#onData);
    this.#socket.destroySoon();
  }

  #failed(error) {
    if (this.#server.listenerCount('clientError') > 0) this.#server.emit('clientError', error, this.#socket);
  }

  #timedOut() {
    const wasTold = this.#request && !this.#request.complete && this.#request.emit('timeout', this.#socket);
    const isAnswering = this.#answers[0]?.emit('timeout', this.#socket);
    const isServers = this.#server.emit('timeout', this.#socket);
    if (!wasTold && !isAnswering && !isServers) this.#socket.destroy();
  }

  #closed() {
    this.#server[CONNECTIONS].delete(this.#socket);
    const answers = this.#answers.splice(0);
    // A complete request also emits `close` when its client disconnects; one that has its answer does not, as in Node.
    for (const { req: request } of answers) {
      if (!request.destroyed) request.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    }
    // Only the response that owns the connection emits its end, as in Node.
    const [response] = answers;
    if (!response) return;
    response.socket = null;
    response._close();
  }
}
