// The lines of an HTTP/1.1 head, read as strictly as Node's parser (llhttp) does: what two programs could understand
// differently is an error. A line is given without its LF, so it has to end with CR.
import { METHODS } from './names.js';
import { parseError } from './parse-error.js';

const KNOWN_METHODS = new Set(METHODS);
const VERSIONS = new Set(['0.9', '1.0', '1.1', '2.0']);
const PATH = /^[/*][\x21-\x7e]*$/;
const ABSOLUTE = /^[a-z]+:\/\/[\w.~!$&'()*+,;=:@%[\]-]+(?:[/?][\x21-\x7e]*)?$/i;
const AUTHORITY = /^[\w.~!$&'()*+,;=:@%[\]/-]+$/;

/** Refuses the beginning of a message that cannot become one, before its first line is complete. */
export function checkBeginning(text, isRequest) {
  if (!isRequest) {
    if (!'HTTP/'.startsWith(text.slice(0, 5))) throw parseError('HPE_INVALID_CONSTANT', 'Expected HTTP/, RTSP/ or ICE/');
  } else if (!METHODS.some((method) => method.startsWith(text.slice(0, method.length)))) throw parseError('HPE_INVALID_METHOD', 'Invalid method encountered');
}

export function requestLine(line) {
  const [, method, target, end] = /^([^ ]*) *([^ \r]*)([^]*)$/.exec(line);
  if (!KNOWN_METHODS.has(method)) {
    checkBeginning(line, true);
    throw parseError('HPE_INVALID_METHOD', 'Expected space after method');
  }
  if (!(method === 'CONNECT' ? AUTHORITY : PATH).test(target) && !ABSOLUTE.test(target)) throw targetError(target);
  const version = requestVersion(end);
  return { method, url: target, ...numbersOf(version) };
}

const numbersOf = (version) => ({ major: Number(version[0]), minor: Number(version[2]) });

function targetError(target) {
  const [bad] = /[^\x21-\x7e]/.exec(target) ?? [];
  if (/^[/*]/.test(target)) return parseError('HPE_INVALID_URL', bad === '\t' || bad === '\f' ? 'Invalid characters in url' : 'Invalid char in url path');
  if (!/^[a-z]/i.test(target)) return parseError('HPE_INVALID_URL', 'Unexpected start char in url');
  return parseError('HPE_INVALID_URL', `Unexpected char in url ${/^[a-z]+:\/\//i.test(target) ? 'server' : 'schema'}`);
}

/** The version from what follows the target of a request. */
function requestVersion(end) {
  // As of a time before there were versions.
  if (end === '\r') return '0.9';
  if (end.startsWith('\r')) throw parseError('HPE_INVALID_URL', 'Expected CRLF');
  const [, version, rest] = /^ +HTTP\/(\d\.\d)([^]*)$/.exec(end) ?? [];
  if (VERSIONS.has(version) && rest === '\r') return version;
  if (!/^ +HTTP\//.test(end)) throw parseError('HPE_INVALID_CONSTANT', 'Expected HTTP/, RTSP/ or ICE/');
  throw parseError('HPE_INVALID_VERSION', VERSIONS.has(version) ? 'Expected CRLF after version' : 'Invalid HTTP version');
}

export function statusLine(line) {
  const [, version, status, rest] = /^HTTP\/(\d\.\d)(?: (\d{3}))?([^]*)$/.exec(line) ?? [];
  if (!VERSIONS.has(version)) {
    checkBeginning(line, false);
    throw parseError('HPE_INVALID_VERSION', 'Invalid HTTP version');
  }
  if (status === undefined) throw parseError('HPE_INVALID_STATUS', 'Invalid status code');
  if (!/^[ \r]/.test(rest)) throw parseError('HPE_INVALID_STATUS', 'Invalid response status');
  const cr = rest.indexOf('\r');
  if (cr < 0) throw parseError('HPE_CR_EXPECTED', 'Missing expected CR after response line');
  if (cr < rest.length - 1) throw parseError('HPE_STRICT', 'Expected LF after CR');
  return { ...numbersOf(version), statusCode: Number(status), statusMessage: rest.slice(1, -1) };
}

// The value begins with something else than space, so that lines of spaces take no quadratic time.
const FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*((?:[\x21-\x7e\x80-\xff][\t\x20-\x7e\x80-\xff]*)?)\r$/;

function withoutPadding(value) {
  let end = value.length;
  while (end > 0 && (value[end - 1] === ' ' || value[end - 1] === '\t')) end -= 1;
  return value.slice(0, end);
}

/** Why a line is no header field; `before` is what stands before it. */
function fieldError(line, before) {
  if (line.startsWith('\r')) return parseError('HPE_STRICT', 'Expected LF after headers');
  if (/^[ \t]/.test(line) && before === 'line') return parseError('HPE_UNEXPECTED_SPACE', 'Unexpected space after start line');
  if (/^[ \t]/.test(line) && before === 'field') return parseError('HPE_INVALID_HEADER_TOKEN', 'Unexpected whitespace after header value');
  if (line === '') return parseError('HPE_INVALID_HEADER_TOKEN', 'Invalid header field char');
  const [, value] = /^[\w!#$%&'*+.^`|~-]+:([^]*)$/.exec(line) ?? [];
  if (value === undefined) return parseError('HPE_INVALID_HEADER_TOKEN', 'Invalid header token');
  const [bad] = /[^\t\x20-\x7e\x80-\xff]/.exec(value) ?? [];
  if (bad === undefined) return parseError('HPE_CR_EXPECTED', 'Missing expected CR after header value');
  return bad === '\r' ? parseError('HPE_LF_EXPECTED', 'Missing expected LF after header value') : parseError('HPE_INVALID_HEADER_TOKEN', 'Invalid header value char');
}

/** Header fields, or trailers after them, and what they say about the connection and the body. */
export class Fields {
  /** Names and values in turn. */
  raw = [];
  /** The number of `Content-Length`. */
  length;
  hasCoding = false;
  isChunked = false;
  #isRequest;
  #hasUpgrade = false;
  #options = new Set();

  constructor(isRequest) {
    this.#isRequest = isRequest;
  }

  get isUpgrade() {
    return this.#hasUpgrade && this.#options.has('upgrade');
  }

  /** Whether the connection stays open after the message. */
  keepsAlive({ major, minor }) {
    return major > 0 && minor > 0 ? !this.#options.has('close') : this.#options.has('keep-alive');
  }

  /** Adds a line; returns how many characters name and value have. */
  add(line) {
    const match = FIELD.exec(line);
    if (!match) throw fieldError(line, this.#position());
    const [, name, value] = match;
    this.raw.push(name, withoutPadding(value));
    this.#interpret(name.toLowerCase(), value);
    return name.length + value.length;
  }

  #position() {
    if (this.raw.length > 0) return 'field';
    return this.isChunked ? 'chunk' : 'line';
  }

  #interpret(name, value) {
    if (name === 'content-length') this.#lengthIs(value);
    else if (name === 'transfer-encoding') this.#codingIs(value);
    else if (name === 'upgrade') this.#hasUpgrade = true;
    else if (name === 'connection' || name === 'proxy-connection') for (const option of value.split(',')) this.#options.add(option.trim().toLowerCase());
  }

  #lengthIs(value) {
    if (this.hasCoding) throw parseError('HPE_INVALID_CONTENT_LENGTH', "Content-Length can't be present with Transfer-Encoding");
    if (this.length !== undefined) throw parseError('HPE_UNEXPECTED_CONTENT_LENGTH', 'Duplicate Content-Length');
    if (value === '') throw parseError('HPE_INVALID_CONTENT_LENGTH', 'Empty Content-Length');
    if (!/^\d+ *$/.test(value)) throw parseError('HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length');
    this.length = Number(value);
    if (!Number.isSafeInteger(this.length)) throw parseError('HPE_INVALID_CONTENT_LENGTH', 'Content-Length overflow');
  }

  #codingIs(value) {
    if (this.length !== undefined) throw parseError('HPE_INVALID_TRANSFER_ENCODING', "Transfer-Encoding can't be present with Content-Length");
    if (value === '') return;
    this.hasCoding = true;
    for (const coding of value.split(',')) {
      // A server could not know where such a request ends: `chunked` has to be the last.
      if (this.isChunked && this.#isRequest) throw parseError('HPE_INVALID_TRANSFER_ENCODING', 'Invalid `Transfer-Encoding` header value');
      this.isChunked = /^[ \t]*chunked *$/i.test(coding);
    }
  }
}
