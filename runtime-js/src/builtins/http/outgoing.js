// `http.OutgoingMessage`: base of client requests and server responses. Headers are written with the first byte of the
// body: with a length when the whole body is known, chunked otherwise.
import { Writable } from 'node:stream';
import { Buffer } from 'node:buffer';
import { nodeError } from '../shared/errors.js';
import { alreadySent, checkHeader, invalidArgumentType, validateHeaderName } from './checks.js';

export const HEADERS = Symbol('headers');
const WAITING = Symbol('waiting');

export function OutgoingMessage(options) {
  if (!(this instanceof OutgoingMessage)) return new OutgoingMessage(options);
  Writable.call(this, { autoDestroy: false, emitClose: false, decodeStrings: true, highWaterMark: options?.highWaterMark });
  this[HEADERS] = new Map();
  this.chunkedEncoding = false;
  this.shouldKeepAlive = true;
  this.maxRequestsOnConnectionReached = false;
  this._defaultKeepAlive = true;
  this.useChunkedEncodingByDefault = true;
  this.sendDate = false;
  this._removed = new Set();
  this._contentLength = null;
  this._hasBody = true;
  this._header = null;
  this._headerSent = false;
  this._last = false;
  this._trailers = '';
  this._keepAliveTimeout = 0;
  Object.defineProperty(this, '_maxRequestsPerSocket', { value: 0, writable: true });
  this.socket = null;
  this[WAITING] = [];
}
Object.setPrototypeOf(OutgoingMessage.prototype, Writable.prototype);
Object.setPrototypeOf(OutgoingMessage, Writable);

/** The header lines, and which of the special headers are present. */
function headerLines(message, entries) {
  const state = {};
  let text = '';
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    if (key === 'connection') state.connection = String(value).toLowerCase();
    else if (key === 'transfer-encoding') state.coding = String(value).toLowerCase();
    else if (key === 'content-length') state.length = true;
    else if (key === 'date' || key === 'expect' || key === 'trailer' || key === 'keep-alive') state[key] = true;
    for (const item of Array.isArray(value) && key !== 'cookie' ? value : [Array.isArray(value) ? value.join('; ') : value]) text += `${name}: ${item}\r\n`;
  }
  return { text, state };
}

const methods = {
  setHeader(name, value) {
    if (this._header) throw alreadySent('set');
    checkHeader(name, value);
    this[HEADERS].set(name.toLowerCase(), [name, value]);
    return this;
  },
  setHeaders(headers) {
    if (this._header) throw alreadySent('set');
    if (!headers || Array.isArray(headers) || typeof headers.keys !== 'function' || typeof headers.get !== 'function') throw invalidArgumentType('headers', 'an instance of Headers or Map', headers);
    for (const name of headers.keys()) this.setHeader(name, name === 'set-cookie' && headers.getSetCookie ? headers.getSetCookie() : headers.get(name));
    return this;
  },
  appendHeader(name, value) {
    if (this._header) throw alreadySent('append');
    checkHeader(name, value);
    const before = this[HEADERS].get(name.toLowerCase());
    if (!before) return this.setHeader(name, value);
    before[1] = [before[1], value].flat();
    return this;
  },
  getHeader(name) {
    if (typeof name !== 'string') throw invalidArgumentType('name', 'of type string', name);
    return this[HEADERS].get(name.toLowerCase())?.[1];
  },
  getHeaderNames() {
    return [...this[HEADERS].keys()];
  },
  getRawHeaderNames() {
    return [...this[HEADERS].values()].map(([name]) => name);
  },
  getHeaders() {
    return Object.assign(Object.create(null), Object.fromEntries([...this[HEADERS]].map(([key, [, value]]) => [key, value])));
  },
  hasHeader(name) {
    if (typeof name !== 'string') throw invalidArgumentType('name', 'of type string', name);
    return this[HEADERS].has(name.toLowerCase());
  },
  removeHeader(name) {
    if (typeof name !== 'string') throw invalidArgumentType('name', 'of type string', name);
    if (this._header) throw alreadySent('remove');
    this[HEADERS].delete(name.toLowerCase());
    this._removed.add(name.toLowerCase());
  },
  addTrailers(headers) {
    for (const [name, value] of Array.isArray(headers) ? headers : Object.entries(headers)) {
      validateHeaderName(name, 'Trailer name');
      checkHeader(name, value);
      this._trailers += `${name}: ${value}\r\n`;
    }
  },
  flushHeaders() {
    if (!this._header) this._implicitHeader();
    this._sendHeader();
  },
  setTimeout(milliseconds, callback) {
    if (callback) this.on('timeout', callback);
    if (this.socket) this.socket.setTimeout(milliseconds);
    else this.once('socket', (socket) => socket.setTimeout(milliseconds));
    return this;
  },

  /** Builds the head from the first line and the headers. */
  _storeHeader(firstLine, entries) {
    const { text, state } = headerLines(this, entries);
    let header = firstLine + text;
    if (!state.date && this.sendDate) header += `Date: ${new Date().toUTCString()}\r\n`;
    header += this._connectionLines(state);
    if (!state.length && !state.coding) header += this._lengthLine(state);
    else if (state.coding) this.chunkedEncoding = /\bchunked\s*$/.test(state.coding);
    this._header = `${header}\r\n`;
    if (state.expect) this._sendHeader();
  },
  _connectionLines(state) {
    if (this._removed.has('connection')) {
      this._last = !this.shouldKeepAlive;
      return '';
    }
    if (state.connection) {
      this._last = /\bclose\b/.test(state.connection);
      if (this._last) this.shouldKeepAlive = false;
      return '';
    }
    const keeps = this.shouldKeepAlive && (state.length || this.useChunkedEncodingByDefault || this.agent);
    if (!keeps) {
      this._last = true;
      return 'Connection: close\r\n';
    }
    // The connection stays open until it has been idle long enough, as in Node.
    if (this.maxRequestsOnConnectionReached) return 'Connection: close\r\n';
    const most = this._maxRequestsPerSocket > 0 ? `, max=${this._maxRequestsPerSocket}` : '';
    const timeout = this._keepAliveTimeout && this._defaultKeepAlive && !state['keep-alive'] ? `Keep-Alive: timeout=${Math.floor(this._keepAliveTimeout / 1000)}${most}\r\n` : '';
    return `Connection: keep-alive\r\n${timeout}`;
  },
  _lengthLine(state) {
    this.chunkedEncoding = false;
    if (!this._hasBody) return '';
    if (!this.useChunkedEncodingByDefault) {
      this._last = true;
      return '';
    }
    if (!state.trailer && !this._removed.has('content-length') && typeof this._contentLength === 'number') return `Content-Length: ${this._contentLength}\r\n`;
    if (this._removed.has('transfer-encoding')) {
      this._last = true;
      return '';
    }
    this.chunkedEncoding = true;
    return 'Transfer-Encoding: chunked\r\n';
  },

  /** Writes to the connection, or buffers until there is one. */
  _deliver(bytes, callback) {
    if (this.socket?.destroyed && this[WAITING].length === 0) return callback?.();
    // The peer has gone: output is dropped without an error.
    if (this.socket?.writableEnded) return false;
    if (this.socket && this[WAITING].length === 0) return this.socket.write(bytes, callback);
    this[WAITING].push([bytes, callback]);
    return false;
  },
  _attach(socket) {
    this.socket = socket;
    const waiting = this[WAITING];
    this[WAITING] = [];
    if (waiting.length > 1) socket.cork();
    for (const [bytes, callback] of waiting) socket.write(bytes, callback);
    if (waiting.length > 1) socket.uncork();
  },
  _sendHeader() {
    if (this._headerSent) return;
    this._headerSent = true;
    this._deliver(Buffer.from(this._header, 'latin1'));
  },

  write(chunk, encoding, callback) {
    if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) {
      if (chunk === null) throw nodeError(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
      throw invalidArgumentType('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk);
    }
    if (!this._header && !this.writableEnded) this._implicitHeader();
    return Writable.prototype.write.call(this, chunk, encoding, callback);
  },
  end(chunk, encoding, callback) {
    if (typeof chunk === 'function') [chunk, encoding, callback] = [undefined, undefined, chunk];
    else if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
    if (!this._header && !this.writableEnded) {
      const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : (chunk?.length ?? 0);
      if (chunk !== undefined && chunk !== null && typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) {
        throw invalidArgumentType('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk);
      }
      // The whole body is known.
      this._contentLength = bytes;
      this._implicitHeader();
    }
    return Writable.prototype.end.call(this, chunk === null ? undefined : chunk, encoding, callback);
  },
  _write(chunk, _encoding, callback) {
    if (!this._hasBody || chunk.length === 0) return this._finishWrite(callback);
    const bytes = this.chunkedEncoding ? Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]) : chunk;
    return this._deliver(this._withHeader(bytes), (error) => callback(error));
  },
  _finishWrite(callback) {
    this._sendHeader();
    callback();
  },
  /** Prepends the head to the first part of the body. */
  _withHeader(bytes) {
    if (this._headerSent) return bytes;
    this._headerSent = true;
    return Buffer.concat([Buffer.from(this._header, 'latin1'), bytes]);
  },
  _final(callback) {
    const tail = this.chunkedEncoding && this._hasBody ? Buffer.from(`0\r\n${this._trailers}\r\n`, 'latin1') : Buffer.alloc(0);
    const bytes = this._withHeader(tail);
    const done = (error) => {
      callback(error);
      this._sent();
    };
    if (bytes.length === 0) return this[WAITING].length > 0 || !this.socket ? this._deliver(bytes, done) : done();
    return this._deliver(bytes, done);
  },
  /** Hook: everything was passed to the connection. */
  _sent() {},
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(OutgoingMessage.prototype, name, { value, writable: true, configurable: true });

const getters = {
  headersSent() {
    return Boolean(this._header);
  },
  finished() {
    return this.writableEnded;
  },
  connection() {
    return this.socket;
  },
};
for (const [name, get] of Object.entries(getters)) Object.defineProperty(OutgoingMessage.prototype, name, { get, set() {}, configurable: true });
