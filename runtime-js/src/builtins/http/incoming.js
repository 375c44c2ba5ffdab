// `http.IncomingMessage`: a request received by a server, or a response received by a client.
import { Readable } from 'node:stream';

/** Headers whose repetitions are ignored. */
const SINGLE = new Set(
  ('age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified ' +
    'location max-forwards proxy-authorization referer retry-after server user-agent').split(' '),
);

function joined(raw, joinsAll) {
  const headers = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index].toLowerCase();
    const value = raw[index + 1];
    if (name === 'set-cookie') (headers[name] ??= []).push(value);
    else if (!Object.hasOwn(headers, name)) headers[name] = value;
    else if (joinsAll || !SINGLE.has(name)) headers[name] += `${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}

function distinct(raw) {
  const headers = {};
  for (let index = 0; index < raw.length; index += 2) (headers[raw[index].toLowerCase()] ??= []).push(raw[index + 1]);
  return headers;
}

export function IncomingMessage(socket) {
  if (!(this instanceof IncomingMessage)) return new IncomingMessage(socket);
  Readable.call(this, { autoDestroy: true, highWaterMark: socket?.readableHighWaterMark });
  this.httpVersionMajor = null;
  this.httpVersionMinor = null;
  this.httpVersion = null;
  this.complete = false;
  this.rawHeaders = [];
  this.rawTrailers = [];
  this.joinDuplicateHeaders = false;
  this.aborted = false;
  this.upgrade = null;
  this.url = '';
  this.method = null;
  this.statusCode = null;
  this.statusMessage = null;
  this.client = socket;
  this.socket = socket;
  this._consumed = false;
  this._dumped = false;
}
Object.setPrototypeOf(IncomingMessage.prototype, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);

/** Takes the head from the parser. */
IncomingMessage.prototype._begin = function _begin({ major, minor, rawHeaders }) {
  this.httpVersionMajor = major;
  this.httpVersionMinor = minor;
  this.httpVersion = `${major}.${minor}`;
  this.rawHeaders = rawHeaders;
};

const VIEWS = { headers: ['rawHeaders', joined], headersDistinct: ['rawHeaders', distinct], trailers: ['rawTrailers', joined], trailersDistinct: ['rawTrailers', distinct] };
for (const [name, [raw, view]] of Object.entries(VIEWS)) {
  const kept = Symbol(name);
  Object.defineProperty(IncomingMessage.prototype, name, {
    get() {
      if (this[kept]?.raw !== this[raw]) this[kept] = { raw: this[raw], value: view(this[raw], this.joinDuplicateHeaders) };
      return this[kept].value;
    },
    set(value) {
      this[kept] = { raw: this[raw], value };
    },
    configurable: true,
  });
}
Object.defineProperty(IncomingMessage.prototype, 'connection', {
  get() {
    return this.socket;
  },
  set(value) {
    this.socket = value;
  },
  configurable: true,
});

const methods = {
  setTimeout(milliseconds, callback) {
    if (callback) this.on('timeout', callback);
    this.socket?.setTimeout(milliseconds);
    return this;
  },
  _read() {
    this._consumed = true;
    // After the end, the connection may belong to another message.
    if (!this.complete) this.socket?.resume?.();
  },
  _destroy(error, callback) {
    if (!this.readableEnded || !this.complete) {
      this.aborted = true;
      this.emit('aborted');
    }
    // A connection with a partially read response cannot be reused.
    if (this.socket && !this.socket.destroyed && this.aborted) this.socket.destroy(error);
    // An error without listeners is not thrown, as in Node.
    if (this.listenerCount('error') === 0) error = null;
    process.nextTick(callback, error);
  },
  /** Discards the rest of an unwanted body. */
  _dump() {
    if (this._dumped) return;
    this._dumped = true;
    this.removeAllListeners('data');
    this.resume();
  },
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(IncomingMessage.prototype, name, { value, writable: true, configurable: true });
