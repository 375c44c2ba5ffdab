// Incremental HTTP/1.1 parser. Calls `on.head(message)`, `on.body(bytes)` and `on.end(trailers)`.
import { Buffer } from 'node:buffer';

/** Default limit of the head, in bytes. */
export const MAX_HEAD = 16 * 1024;
const HEAD = 'head';
const COUNTED = 'counted';
const CHUNK_SIZE = 'chunk size';
const CHUNK = 'chunk';
const CHUNK_END = 'chunk end';
const TRAILERS = 'trailers';
const UNTIL_CLOSE = 'until close';
const STOPPED = 'stopped';
const CLOSED = 'closed';

/** Errors of the parser itself; others thrown by `execute` come from listeners. */
const parseErrors = new WeakSet();
export const isParseError = (error) => parseErrors.has(error);

export function parseError(code, reason, raw) {
  const error = new Error(`Parse Error: ${reason}`);
  parseErrors.add(error);
  return Object.assign(error, { bytesParsed: 0, code, reason, rawPacket: raw });
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

function parseLines(lines, raw) {
  const headers = [];
  for (const line of lines) {
    if (/^[ \t]/.test(line) && headers.length > 0) {
      headers[headers.length - 1] += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon <= 0 || !TOKEN.test(line.slice(0, colon))) throw parseError('HPE_INVALID_HEADER_TOKEN', 'Invalid header token', raw);
    headers.push(line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, ''));
  }
  return headers;
}

const valuesOf = (headers, name) => headers.filter((_, index) => index % 2 === 1 && headers[index - 1].toLowerCase() === name);

export class MessageParser {
  #kind;
  #on;
  #state = HEAD;
  #held = Buffer.alloc(0);
  #left = 0;
  #maxHead;
  #isLast = false;

  /** `kind` is `request` or `response`; `maxHead` limits the head, in bytes. */
  constructor(kind, on, maxHead = MAX_HEAD) {
    this.#kind = kind;
    this.#on = on;
    this.#maxHead = maxHead;
  }

  /** Returns the bytes after a message that switched protocols. */
  execute(bytes) {
    let data = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes;
    this.#held = Buffer.alloc(0);
    while (data.length > 0 && this.#state !== STOPPED) {
      const rest = this.#step(data);
      if (rest === undefined) {
        this.#held = data;
        return undefined;
      }
      data = rest;
    }
    return this.#state === STOPPED ? data : undefined;
  }

  /** End of input. `true` if a message ends with the connection and is complete. */
  finish() {
    if (this.#state === UNTIL_CLOSE) this.#end([]);
    else if (this.#state !== HEAD && this.#state !== STOPPED && this.#state !== CLOSED) return false;
    return this.#held.length === 0;
  }

  /** Stops parsing: the connection is no longer HTTP. */
  stop() {
    this.#state = STOPPED;
  }

  /** Performs one step; returns the remaining data, or `undefined` if more is needed. */
  #step(data) {
    switch (this.#state) {
      case HEAD:
        return this.#head(data);
      case COUNTED:
      case CHUNK:
        return this.#counted(data);
      case CHUNK_SIZE:
        return this.#chunkSize(data);
      case CHUNK_END:
        return this.#chunkEnd(data);
      case TRAILERS:
        return this.#trailers(data);
      case CLOSED:
        return afterLast(data);
      default:
        this.#on.body(data);
        return data.subarray(data.length);
    }
  }

  #head(data) {
    // Ignores empty lines before a message.
    if (data[0] === 13 || data[0] === 10) return data.subarray(1);
    const end = headEnd(data);
    if (end === undefined) {
      if (data.length > this.#maxHead) throw parseError('HPE_HEADER_OVERFLOW', 'Header overflow', data);
      if (this.#kind === 'request' && !/^[A-Za-z-]+( |$)/.test(data.toString('latin1', 0, 24).split(' ')[0] + ' ')) throw parseError('HPE_INVALID_METHOD', 'Invalid method encountered', data);
      if (this.#kind === 'response' && !'HTTP/'.startsWith(data.toString('latin1', 0, 5))) throw parseError('HPE_INVALID_CONSTANT', 'Expected HTTP/, RTSP/ or ICE/', data);
      return undefined;
    }
    if (end.at > this.#maxHead) throw parseError('HPE_HEADER_OVERFLOW', 'Header overflow', data);
    const [first, ...lines] = data.toString('latin1', 0, end.at).split(/\r?\n/);
    const message = this.#kind === 'request' ? requestLine(first, data) : statusLine(first, data);
    message.rawHeaders = parseLines(lines, data);
    const lengths = valuesOf(message.rawHeaders, 'content-length');
    const codings = valuesOf(message.rawHeaders, 'transfer-encoding').join(',').toLowerCase();
    const isChunked = /(^|[ ,])chunked\s*$/.test(codings);
    if (lengths.some((length) => !/^\d+$/.test(length)) || new Set(lengths).size > 1) throw parseError('HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length', data);
    this.#begin(this.#on.head(message), isChunked, lengths[0]);
    return data.subarray(end.at + end.length);
  }

  /** Selects how the body is read. `verdict`, from `on.head`, is `none`, `stop`, `last`, or undefined. */
  #begin(verdict, isChunked, length) {
    this.#isLast = verdict === 'last';
    if (verdict === 'stop') this.#state = STOPPED;
    else if (verdict === 'none') this.#end([]);
    else if (isChunked) this.#state = CHUNK_SIZE;
    else if (length !== undefined) {
      this.#left = Number(length);
      this.#state = COUNTED;
      if (this.#left === 0) this.#end([]);
    } else if (this.#kind === 'request') this.#end([]);
    else this.#state = UNTIL_CLOSE;
  }

  #counted(data) {
    const part = data.subarray(0, this.#left);
    this.#left -= part.length;
    if (part.length > 0) this.#on.body(part);
    if (this.#state === STOPPED) return data.subarray(part.length);
    if (this.#left === 0) {
      if (this.#state === CHUNK) this.#state = CHUNK_END;
      else this.#end([]);
    }
    return data.subarray(part.length);
  }

  #chunkSize(data) {
    const at = data.indexOf('\n');
    if (at < 0) {
      if (data.length > MAX_HEAD) throw parseError('HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Chunk extensions overflow', data);
      return undefined;
    }
    const text = data.toString('latin1', 0, at).split(';')[0].trim();
    if (!/^[0-9a-f]+$/i.test(text)) throw parseError('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size', data);
    this.#left = Number.parseInt(text, 16);
    this.#state = this.#left === 0 ? TRAILERS : CHUNK;
    return data.subarray(at + 1);
  }

  #chunkEnd(data) {
    const length = data[0] === 13 ? 2 : 1;
    if (data.length < length) return undefined;
    if (data[length - 1] !== 10) throw parseError('HPE_STRICT', 'Expected LF after chunk data', data);
    this.#state = CHUNK_SIZE;
    return data.subarray(length);
  }

  #trailers(data) {
    if (data[0] === 10) return this.#afterTrailers(data, 1, []);
    if (data[0] === 13 && data[1] === 10) return this.#afterTrailers(data, 2, []);
    const end = headEnd(data);
    if (end === undefined) return undefined;
    return this.#afterTrailers(data, end.at + end.length, parseLines(data.toString('latin1', 0, end.at).split(/\r?\n/), data));
  }

  #afterTrailers(data, length, trailers) {
    this.#end(trailers);
    return data.subarray(length);
  }

  #end(trailers) {
    this.#state = this.#isLast ? CLOSED : HEAD;
    if (this.#on.end(trailers) === 'stop') this.#state = STOPPED;
  }
}

/** After the last message only empty lines are allowed. */
function afterLast(data) {
  if (data[0] === 13 || data[0] === 10) return data.subarray(1);
  throw parseError('HPE_CLOSED_CONNECTION', 'Data after `Connection: close`', data);
}

/** The index of the empty line after the headers. */
function headEnd(data) {
  const crlf = data.indexOf('\r\n\r\n');
  const lf = data.indexOf('\n\n');
  if (crlf >= 0 && (lf < 0 || crlf < lf)) return { at: crlf, length: 4 };
  return lf >= 0 ? { at: lf, length: 2 } : undefined;
}

function requestLine(line, raw) {
  const match = /^([A-Za-z-]+) (\S+) HTTP\/(\d)\.(\d)$/.exec(line);
  if (!match) {
    if (!/^[A-Za-z-]+ /.test(line)) throw parseError('HPE_INVALID_METHOD', 'Invalid method encountered', raw);
    throw parseError('HPE_INVALID_CONSTANT', 'Expected HTTP/', raw);
  }
  return { method: match[1], url: match[2], major: Number(match[3]), minor: Number(match[4]) };
}

function statusLine(line, raw) {
  const match = /^HTTP\/(\d)\.(\d) (\d{3})(?: (.*))?$/.exec(line);
  if (!match) throw parseError('HPE_INVALID_CONSTANT', 'Expected HTTP/, RTSP/ or ICE/', raw);
  return { major: Number(match[1]), minor: Number(match[2]), statusCode: Number(match[3]), statusMessage: match[4] ?? '' };
}
