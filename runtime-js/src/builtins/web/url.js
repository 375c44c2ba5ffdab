// `URL` and `URLSearchParams` over the WHATWG parser in Rust (`src/script/globals/url.rs`).
import { parse, parseQuery, serializeQuery, set } from 'lmthing:internal/native/url';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { inspectOwn } from '../shared/inspect-own.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { brand } from '../shared/brand.js';

// The order in which Rust gives the components.
const [HREF, ORIGIN, PROTOCOL, USERNAME, PASSWORD, HOST, HOSTNAME, PORT, PATHNAME, SEARCH, HASH] = Array(11).keys();

// Hardly ever used, and it needs blobs.
const objectUrls = () => importBuiltin('lmthing:internal/web/object-urls');

const usvString = (value) => `${value}`.toWellFormed();

function invalidUrl(input, base) {
  const error = nodeError(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
  error.input = input;
  if (base !== undefined) error.base = base;
  return error;
}

function required(given, names) {
  if (given >= names.length) return;
  const quoted = names.map((name) => `"${name}"`);
  const list = names.length === 1 ? `${quoted[0]} argument` : `${quoted.join(' and ')} arguments`;
  throw nodeError(TypeError, 'ERR_MISSING_ARGS', `The ${list} must be specified`);
}

export class URLSearchParams {
  #pairs = []; // names and values in turn
  #url; // tells the URL this belongs to of every change

  constructor(init = undefined) {
    if (init === undefined || init === null) return;
    if (typeof init !== 'object' && typeof init !== 'function') {
      const text = usvString(init);
      this.#pairs = parseQuery(text.startsWith('?') ? text.slice(1) : text);
      return;
    }
    const iterate = init[Symbol.iterator];
    if (iterate !== undefined && iterate !== null) {
      if (typeof iterate !== 'function') {
        throw nodeError(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
      }
      for (const pair of init) this.#appendPair(pair);
      return;
    }
    for (const name of Reflect.ownKeys(init)) {
      if (typeof name !== 'string' || !Object.getOwnPropertyDescriptor(init, name)?.enumerable) continue;
      this.#pairs.push(usvString(name), usvString(init[name]));
    }
  }

  #appendPair(pair) {
    const isIterable = pair !== null && typeof pair === 'object' && typeof pair[Symbol.iterator] === 'function';
    const values = isIterable ? [...pair] : [];
    if (values.length !== 2) {
      throw nodeError(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
    }
    this.#pairs.push(usvString(values[0]), usvString(values[1]));
  }

  /** For `URL` only: parameters that belong to a URL, which `changed` is told about. */
  static ofUrl(query, changed) {
    const params = new URLSearchParams(query);
    params.#url = changed;
    return params;
  }

  static reset(params, query) {
    params.#pairs = parseQuery(query);
  }

  #changed() {
    this.#url?.(this.toString());
  }

  get size() {
    return this.#pairs.length / 2;
  }

  append(name, value) {
    required(arguments.length, ['name', 'value']);
    this.#pairs.push(usvString(name), usvString(value));
    this.#changed();
  }

  delete(name, value = undefined) {
    required(arguments.length, ['name']);
    const [wanted, wantedValue] = [usvString(name), value === undefined ? undefined : usvString(value)];
    const pairs = [];
    for (const [key, item] of this.#all()) {
      if (key !== wanted || (wantedValue !== undefined && item !== wantedValue)) pairs.push(key, item);
    }
    this.#pairs = pairs;
    this.#changed();
  }

  get(name) {
    required(arguments.length, ['name']);
    return this.#valuesOf(name)[0] ?? null;
  }

  getAll(name) {
    required(arguments.length, ['name']);
    return this.#valuesOf(name);
  }

  #valuesOf(name) {
    const wanted = usvString(name);
    return Array.from(this.#all()).flatMap(([key, item]) => (key === wanted ? [item] : []));
  }

  has(name, value = undefined) {
    required(arguments.length, ['name']);
    const values = this.#valuesOf(name);
    return value === undefined ? values.length > 0 : values.includes(usvString(value));
  }

  set(name, value) {
    required(arguments.length, ['name', 'value']);
    const [wanted, replacement] = [usvString(name), usvString(value)];
    const pairs = [];
    let placed = false;
    for (const [key, item] of this.#all()) {
      if (key !== wanted) pairs.push(key, item);
      else if (!placed) placed = pairs.push(key, replacement) > 0;
    }
    if (!placed) pairs.push(wanted, replacement);
    this.#pairs = pairs;
    this.#changed();
  }

  sort() {
    const pairs = Array.from(this.#all());
    pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#pairs = pairs.flat();
    this.#changed();
  }

  forEach(callback, thisArgument = undefined) {
    if (typeof callback !== 'function') {
      throw invalidArgumentType('callback', 'of type function', callback);
    }
    for (const [name, value] of this.#all()) callback.call(thisArgument, value, name, this);
  }

  /** What the methods go by: those for iterating may be somebody else's, of a class that extends this one. */
  *#all() {
    for (let index = 0; index < this.#pairs.length; index += 2) yield [this.#pairs[index], this.#pairs[index + 1]];
  }

  *entries() {
    yield* this.#all();
  }

  *keys() {
    for (const [name] of this.#all()) yield name;
  }

  *values() {
    for (const [, value] of this.#all()) yield value;
  }

  [Symbol.iterator]() {
    return this.#all();
  }

  toString() {
    return serializeQuery(this.#pairs);
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    if (depth < 0) return '[Object]';
    const items = Array.from(this.#all(), ([name, value]) => `${inspect(name, options)} => ${inspect(value, options)}`);
    return items.length === 0 ? 'URLSearchParams {}' : `URLSearchParams { ${items.join(', ')} }`;
  }
}
brand(URLSearchParams, 'URLSearchParams');

// Not part of the public class: only `URL` uses them.
const { ofUrl, reset } = URLSearchParams;
delete URLSearchParams.ofUrl;
delete URLSearchParams.reset;

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
