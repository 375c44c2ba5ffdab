// `URLSearchParams`, alone or of a `URL`, and argument checks shared by both.
import { parseQuery, serializeQuery } from 'lmthing:internal/native/url';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { brand } from '../shared/brand.js';

export const usvString = (value) => `${value}`.toWellFormed();

/** Throws for missing arguments. */
export function required(given, names) {
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

  /** For `URL` only: parameters of a URL; calls `changed` after each change. */
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

  /** Used by the methods, as a subclass may override the public iterators. */
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

// For `URL` only.
export const { ofUrl, reset } = URLSearchParams;
delete URLSearchParams.ofUrl;
delete URLSearchParams.reset;
