// The client side of a connection: receives one response.
import { IncomingMessage } from './incoming.js';
import { isParseError } from './parse-error.js';
import { MessageParser } from './parser.js';

export const hangUp = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** Holds the connection until the response is complete. */
export class Exchange {
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

  /** Detaches from the connection. */
  give() {
    for (const [event, listener] of Object.entries(this.#listeners)) this.#socket.removeListener(event, listener);
    // Ignores later errors of the connection.
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
      if (this.#response) this.#cutOff();
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
    if (!message.keepsAlive) request.shouldKeepAlive = false;
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
    // End of an informational (1xx) response.
    if (!response) return undefined;
    response.complete = true;
    response.rawTrailers = trailers;
    response.push(null);
    if (response.readableEnded || response._dumped || response.destroyed) this.#release();
    else response.on('end', () => this.#release());
    return 'stop';
  }

  /** The response has been read: keeps or closes the connection. */
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
    // A server may respond before the request is complete; the rest is still sent.
    if (isWhole || !request.shouldKeepAlive) free();
    else request.once('finish', free);
  }

  /** The connection switches to another protocol. */
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

  /** The connection closed in the middle of a response. */
  #cutOff() {
    const response = this.#response;
    if (!response.destroyed && !response.readableEnded) response.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  }
}
