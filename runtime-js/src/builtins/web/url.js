// `URL` over the native WHATWG parser (`src/script/globals/url.rs`).
import { parse, set } from 'lmthing:internal/native/url';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { inspectOwn } from '../shared/inspect-own.js';
import { nodeError } from '../shared/errors.js';
import { brand } from '../shared/brand.js';
import { ofUrl, required, reset, URLSearchParams, usvString } from './url-search-params.js';

export { URLSearchParams };

// In the order of the native components.
const [HREF, ORIGIN, PROTOCOL, USERNAME, PASSWORD, HOST, HOSTNAME, PORT, PATHNAME, SEARCH, HASH] = Array(11).keys();

// Rarely used, and needs blobs.
const objectUrls = () => importBuiltin('lmthing:internal/web/object-urls');

function invalidUrl(input, base) {
  const error = nodeError(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
  error.input = input;
  if (base !== undefined) error.base = base;
  return error;
}

export class URL {
  #parts;
  #searchParams;

  constructor(input, base = undefined) {
    required(arguments.length, ['url']);
    const text = usvString(input);
    const baseText = base === undefined ? undefined : usvString(base);
    this.#parts = parse(text, baseText);
    if (this.#parts === undefined) throw invalidUrl(text, baseText);
  }

  static canParse(input, base = undefined) {
    required(arguments.length, ['url']);
    return parse(usvString(input), base === undefined ? undefined : usvString(base)) !== undefined;
  }

  static parse(input, base = undefined) {
    return URL.canParse(input, base) ? new URL(input, base) : null;
  }

  static createObjectURL(object) {
    return objectUrls().createObjectURL(object);
  }

  static revokeObjectURL(url) {
    required(arguments.length, ['url']);
    objectUrls().revokeObjectURL(url);
  }

  #set(name, value) {
    const parts = set(this.#parts[HREF], name, usvString(value));
    if (parts === undefined) throw invalidUrl(usvString(value));
    this.#parts = parts;
    if (this.#searchParams && (name === 'search' || name === 'href')) {
      reset(this.#searchParams, parts[SEARCH].slice(1));
    }
  }

  get href() {
    return this.#parts[HREF];
  }
  set href(value) {
    this.#set('href', value);
  }
  get origin() {
    return this.#parts[ORIGIN];
  }
  get protocol() {
    return this.#parts[PROTOCOL];
  }
  set protocol(value) {
    this.#set('protocol', value);
  }
  get username() {
    return this.#parts[USERNAME];
  }
  set username(value) {
    this.#set('username', value);
  }
  get password() {
    return this.#parts[PASSWORD];
  }
  set password(value) {
    this.#set('password', value);
  }
  get host() {
    return this.#parts[HOST];
  }
  set host(value) {
    this.#set('host', value);
  }
  get hostname() {
    return this.#parts[HOSTNAME];
  }
  set hostname(value) {
    this.#set('hostname', value);
  }
  get port() {
    return this.#parts[PORT];
  }
  set port(value) {
    this.#set('port', value);
  }
  get pathname() {
    return this.#parts[PATHNAME];
  }
  set pathname(value) {
    this.#set('pathname', value);
  }
  get search() {
    return this.#parts[SEARCH];
  }
  set search(value) {
    this.#set('search', value);
  }
  get searchParams() {
    this.#searchParams ??= ofUrl(this.search, (query) => {
      this.#parts = set(this.#parts[HREF], 'search', query);
    });
    return this.#searchParams;
  }
  get hash() {
    return this.#parts[HASH];
  }
  set hash(value) {
    this.#set('hash', value);
  }

  toString() {
    return this.href;
  }

  toJSON() {
    return this.href;
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    const names = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search'];
    return inspectOwn(this, [...names, 'searchParams', 'hash'], depth, options, inspect);
  }
}
brand(URL, 'URL');
