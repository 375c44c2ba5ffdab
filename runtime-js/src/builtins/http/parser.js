// Incremental HTTP/1.1 parser. Calls `on.head(message)`, `on.body(bytes)` and `on.end(trailers)`.
import { checkBeginning, Fields, requestLine, statusLine } from './head.js';
import { isParseError, parseError } from './parse-error.js';

/** Default limit of the head, and of the trailers, in bytes. */
const MAX_HEAD = 16 * 1024;
/** What a line may have that does not count: method, version, padding. */
const UNCOUNTED = 64;
const FIRST_LINE = 'first line';
const FIELDS = 'fields';
const COUNTED = 'counted';
const CHUNK_SIZE = 'chunk size';
const CHUNK = 'chunk';
const CHUNK_CR = 'chunk CR';
const CHUNK_LF = 'chunk LF';
const TRAILERS = 'trailers';
const UNTIL_CLOSE = 'until close';
const STOPPED = 'stopped';
const CLOSED = 'closed';

const EXTENSION = /^(?:;(?:[\w!#$%&'*+.^`|~-]+|(?==))(?:=(?:"(?:[\t !\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"|[\w!#$%&'*+.^`|~-]*))?)*$/;
const CR = 13;
const LF = 10;

export class MessageParser {
  #isRequest;
  #on;
  #maxHead;
  #state = FIRST_LINE;
  /** The beginning of a line whose end has not arrived. */
  #line = '';
  /** The size of the fields so far. */
  #size = 0;
  #message;
  #fields;
  /** Bytes of the body, or of the chunk, that are missing. */
  #left = 0;
  #isLast = false;
  /** An error of the parser; nothing after it is read. */
  #failure;

  /** `kind` is `request` or `response`; `maxHead` limits head and trailers, in bytes. */
  constructor(kind, on, maxHead = MAX_HEAD) {
    this.#isRequest = kind === 'request';
    this.#on = on;
    this.#maxHead = maxHead;
  }

  /** Returns the bytes after a message that switched protocols. Throws parse errors, and what the callbacks throw. */
  execute(bytes) {
    if (this.#failure) throw this.#failure;
    let at = 0;
    try {
      while (at < bytes.length && this.#state !== STOPPED) at = this.#step(bytes, at);
    } catch (error) {
      if (isParseError(error)) this.#failure = Object.assign(error, { bytesParsed: at, rawPacket: bytes });
      throw error;
    }
    return this.#state === STOPPED ? bytes.subarray(at) : undefined;
  }

  /** End of input; `false` if it is within a message. */
  finish() {
    if (this.#failure) return true;
    if (this.#state === UNTIL_CLOSE) this.#end([]);
    return this.#line === '' && [FIRST_LINE, STOPPED, CLOSED].includes(this.#state);
  }

  /** Performs one step; returns the index after the bytes it has read. */
  #step(data, at) {
    switch (this.#state) {
      case COUNTED:
      case CHUNK:
        return this.#counted(data, at);
      case CHUNK_CR:
      case CHUNK_LF:
        return this.#chunkEnd(data[at], at);
      case UNTIL_CLOSE:
        this.#on.body(data.subarray(at));
        return data.length;
      case CLOSED:
        if (data[at] !== CR && data[at] !== LF) throw parseError('HPE_CLOSED_CONNECTION', 'Data after `Connection: close`');
        return at + 1;
      default:
        return this.#partOfLine(data, at);
    }
  }

  #partOfLine(data, at) {
    // Empty lines before a message are ignored.
    if (this.#state === FIRST_LINE && this.#line === '' && (data[at] === CR || data[at] === LF)) return at + 1;
    const end = data.indexOf(LF, at);
    this.#line += data.toString('latin1', at, end < 0 ? data.length : end);
    if (end < 0) {
      this.#checkPart(this.#line);
      return data.length;
    }
    const line = this.#line;
    this.#line = '';
    this.#wholeLine(line);
    return end + 1;
  }

  /** Refuses a line that is wrong or too long, whatever follows. */
  #checkPart(line) {
    const cr = line.indexOf('\r');
    if (cr >= 0 && cr < line.length - 1) this.#wholeLine(line);
    if (this.#state === FIRST_LINE) checkBeginning(line, this.#isRequest);
    if (this.#size + line.length < this.#maxHead + UNCOUNTED) return;
    throw this.#state === CHUNK_SIZE ? extensionsOverflow() : headerOverflow();
  }

  #wholeLine(line) {
    if (this.#state === FIRST_LINE) {
      this.#message = this.#isRequest ? requestLine(line) : statusLine(line);
      this.#fields = new Fields(this.#isRequest);
      this.#state = FIELDS;
      this.#size = 0;
      this.#count((this.#message.url ?? this.#message.statusMessage).length);
    } else if (this.#state === CHUNK_SIZE) this.#chunkSize(line);
    else if (line !== '\r') this.#count(this.#fields.add(line));
    else if (this.#state === TRAILERS) this.#end(this.#fields.raw);
    else this.#begin();
  }

  #count(size) {
    this.#size += size;
    if (this.#size >= this.#maxHead) throw headerOverflow();
  }

  /** The head is complete: selects how the body is read. `on.head` returns `none`, `stop`, `last`, or undefined. */
  #begin() {
    const [message, fields] = [this.#message, this.#fields];
    const { raw: rawHeaders, isUpgrade } = fields;
    const keepsAlive = fields.keepsAlive(message) && !endsWithConnection(message, fields);
    const verdict = this.#on.head({ ...message, rawHeaders, isUpgrade, keepsAlive });
    this.#isLast = verdict === 'last';
    this.#size = 0;
    if (verdict === 'stop') this.#state = STOPPED;
    else if (verdict === 'none') this.#end([]);
    else if (fields.isChunked) this.#state = CHUNK_SIZE;
    else if (fields.hasCoding && this.#isRequest) throw parseError('HPE_INVALID_TRANSFER_ENCODING', 'Request has invalid `Transfer-Encoding`');
    else if (fields.length > 0) {
      this.#left = fields.length;
      this.#state = COUNTED;
    } else if (fields.length === 0 || this.#isRequest) this.#end([]);
    else this.#state = UNTIL_CLOSE;
  }

  #counted(data, at) {
    const part = data.subarray(at, at + this.#left);
    this.#left -= part.length;
    this.#on.body(part);
    if (this.#left === 0 && this.#state !== STOPPED) {
      if (this.#state === CHUNK) this.#state = CHUNK_CR;
      else this.#end([]);
    }
    return at + part.length;
  }

  #chunkSize(line) {
    const [, digits, rest] = /^([0-9a-f]*)([^]*)$/i.exec(line);
    if (digits === '') throw parseError('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size');
    this.#left = Number.parseInt(digits, 16);
    if (!Number.isSafeInteger(this.#left)) throw parseError('HPE_INVALID_CHUNK_SIZE', 'Chunk size overflow');
    this.#checkExtensions(rest);
    this.#size = 0;
    this.#fields.raw = [];
    this.#state = this.#left === 0 ? TRAILERS : CHUNK;
  }

  #checkExtensions(text) {
    if (text.length >= this.#maxHead) throw extensionsOverflow();
    const [extensions, ...more] = text.split('\r');
    if (extensions !== '' && !extensions.startsWith(';')) throw parseError('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size');
    if (!EXTENSION.test(extensions)) throw parseError('HPE_STRICT', 'Invalid character in chunk extensions');
    if (more.length === 0) throw parseError('HPE_CR_EXPECTED', 'Missing expected CR after chunk size');
    if (more.join('') !== '') throw parseError('HPE_STRICT', 'Expected LF after chunk size');
  }

  #chunkEnd(byte, at) {
    if (this.#state === CHUNK_CR && byte === LF) throw parseError('HPE_CR_EXPECTED', 'Missing expected CR after chunk data');
    if (byte !== (this.#state === CHUNK_CR ? CR : LF)) throw parseError('HPE_STRICT', 'Expected LF after chunk data');
    this.#state = this.#state === CHUNK_CR ? CHUNK_LF : CHUNK_SIZE;
    return at + 1;
  }

  #end(trailers) {
    this.#state = this.#isLast ? CLOSED : FIRST_LINE;
    if (this.#on.end(trailers) === 'stop') this.#state = STOPPED;
  }
}

/** Whether only the end of the connection ends the body of a response. */
function endsWithConnection({ statusCode }, { isChunked, length }) {
  return statusCode >= 200 && statusCode !== 204 && statusCode !== 304 && !isChunked && length === undefined;
}

const headerOverflow = () => parseError('HPE_HEADER_OVERFLOW', 'Header overflow');
const extensionsOverflow = () => parseError('HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Chunk extensions overflow');
