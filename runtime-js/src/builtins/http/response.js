// `http.ServerResponse`.
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { alreadySent, checkHeader, hasBadContent } from './checks.js';
import { HEADERS, OutgoingMessage } from './outgoing.js';
import { STATUS_CODES } from './names.js';

export function ServerResponse(request, options) {
  if (!(this instanceof ServerResponse)) return new ServerResponse(request, options);
  OutgoingMessage.call(this, options);
  if (request.method === 'HEAD') this._hasBody = false;
  this.req = request;
  this.sendDate = true;
  this.statusCode = 200;
  this.statusMessage = undefined;
  if (request.httpVersionMajor < 1 || request.httpVersionMinor < 1) {
    this.useChunkedEncodingByDefault = /chunked/i.test(request.headers.te ?? '');
    this.shouldKeepAlive = false;
  }
}
Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);

/** Headers of `writeHead`, given as an object, pairs, or names and values in turn. */
function pairs(given) {
  if (!Array.isArray(given)) return Object.entries(given);
  if (given.length > 0 && Array.isArray(given[0])) return given;
  if (given.length % 2 !== 0) throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'headers' is invalid. Received ${JSON.stringify(given)}`);
  return given.flatMap((name, index) => (index % 2 === 0 ? [[name, given[index + 1]]] : []));
}

const methods = {
  _implicitHeader() {
    this.writeHead(this.statusCode);
  },
  writeHead(statusCode, reason, given) {
    if (this._header) throw alreadySent('write');
    const code = statusCode | 0;
    if (code < 100 || code > 999) throw nodeError(RangeError, 'ERR_HTTP_INVALID_STATUS_CODE', `Invalid status code: ${statusCode}`);
    const headers = typeof reason === 'string' ? given : (given ?? reason);
    if (typeof reason === 'string') this.statusMessage = reason;
    else this.statusMessage ||= STATUS_CODES[code] ?? 'unknown';
    if (hasBadContent(this.statusMessage)) throw nodeError(TypeError, 'ERR_INVALID_CHAR', 'Invalid character in statusMessage');
    this.statusCode = code;
    const merged = new Map(this[HEADERS]);
    for (const [name, value] of headers ? pairs(headers) : []) {
      checkHeader(name, value);
      const key = String(name).toLowerCase();
      const before = Array.isArray(headers) && merged.has(key) && !this[HEADERS].has(key) ? merged.get(key)[1] : undefined;
      merged.set(key, [name, before === undefined ? value : [before, value].flat()]);
    }
    this[HEADERS] = merged;
    if (code === 204 || code === 304 || (code >= 100 && code <= 199)) this._hasBody = false;
    this._storeHeader(`HTTP/1.1 ${code} ${this.statusMessage}\r\n`, merged.values());
    return this;
  },
  writeContinue(callback) {
    this.socket?.write('HTTP/1.1 100 Continue\r\n\r\n', callback);
  },
  writeProcessing(callback) {
    this.socket?.write('HTTP/1.1 102 Processing\r\n\r\n', callback);
  },
  writeEarlyHints(hints, callback) {
    if (typeof hints !== 'object' || hints === null) throw invalidArgumentType('hints', 'of type object', hints);
    const links = [hints.link ?? []].flat().join(', ');
    if (links === '') return;
    const more = Object.entries(hints).filter(([name]) => name !== 'link').map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket?.write(`HTTP/1.1 103 Early Hints\r\nLink: ${links}\r\n${more.join('')}\r\n`, 'latin1', callback);
  },
  assignSocket(socket) {
    socket._httpMessage = this;
    this._attach(socket);
    this.emit('socket', socket);
  },
  detachSocket(socket) {
    socket._httpMessage = null;
    this.socket = null;
  },
  _destroy(error, callback) {
    this.socket?.destroy(error);
    callback(error);
    this._close();
  },
  /** Emits `close` once. */
  _close() {
    if (this._closed) return;
    this._closed = true;
    this.destroyed = true;
    process.nextTick(() => this.emit('close'));
  },
};
methods.writeHeader = methods.writeHead;
for (const [name, value] of Object.entries(methods)) Object.defineProperty(ServerResponse.prototype, name, { value, writable: true, configurable: true });
