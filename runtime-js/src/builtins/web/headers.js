import { brand } from '../shared/brand.js';

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function byteString(value) {
  const text = `${value}`;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 255) {
      const where = `the character at index ${index} has a value of ${code} which is greater than 255.`;
      throw new TypeError(`Cannot convert argument to a ByteString because ${where}`);
    }
  }
  return text;
}

function checkedName(name, method) {
  const text = byteString(name);
  if (!TOKEN.test(text)) throw new TypeError(`Headers.${method}: "${text}" is an invalid header name.`);
  return text;
}

function checkedValue(value, method) {
  const text = byteString(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (/[\0\n\r]/.test(text)) throw new TypeError(`Headers.${method}: "${text}" is an invalid header value.`);
  return text;
}

function missing(method, wanted, given) {
  const plural = wanted === 1 ? '' : 's';
  return new TypeError(`Headers.${method}: ${wanted} argument${plural} required, but${given ? ' only' : ''} ${given} found.`);
}

export class Headers {
  #map = new Map(); // lower-case name → {name as given, values}
  #immutable = false;

  constructor(init = undefined) {
    if (init === undefined) return;
    if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
      const types = 'sequence<sequence<ByteString>>, record<ByteString, ByteString>';
      throw new TypeError(`Headers constructor: Argument 1 could not be converted to one of: ${types}.`);
    }
    if (typeof init[Symbol.iterator] === 'function') {
      for (const entry of init) {
        const pair = [...entry];
        if (pair.length !== 2) {
          throw new TypeError(`Headers constructor: expected name/value pair to be length 2, found ${pair.length}.`);
        }
        this.append(pair[0], pair[1]);
      }
      return;
    }
    for (const name of Reflect.ownKeys(init)) {
      if (Object.getOwnPropertyDescriptor(init, name)?.enumerable) this.append(name, init[name]);
    }
  }

  #writable() {
    if (this.#immutable) throw new TypeError('immutable');
  }

  append(name, value) {
    if (arguments.length < 2) throw missing('append', 2, arguments.length);
    const [key, item] = [checkedName(name, 'append'), checkedValue(value, 'append')];
    this.#writable();
    const entry = this.#map.get(key.toLowerCase());
    if (entry) entry.values.push(item);
    else this.#map.set(key.toLowerCase(), { name: key, values: [item] });
  }

  set(name, value) {
    if (arguments.length < 2) throw missing('set', 2, arguments.length);
    const [key, item] = [checkedName(name, 'set'), checkedValue(value, 'set')];
    this.#writable();
    this.#map.set(key.toLowerCase(), { name: key, values: [item] });
  }

  delete(name) {
    if (arguments.length < 1) throw missing('delete', 1, arguments.length);
    const key = checkedName(name, 'delete');
    this.#writable();
    this.#map.delete(key.toLowerCase());
  }

  get(name) {
    if (arguments.length < 1) throw missing('get', 1, arguments.length);
    const entry = this.#map.get(checkedName(name, 'get').toLowerCase());
    return entry ? joined(entry) : null;
  }

  has(name) {
    if (arguments.length < 1) throw missing('has', 1, arguments.length);
    return this.#map.has(checkedName(name, 'has').toLowerCase());
  }

  getSetCookie() {
    return [...(this.#map.get('set-cookie')?.values ?? [])];
  }

  forEach(callback, thisArgument = undefined) {
    if (typeof callback !== 'function') {
      throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
    }
    for (const [name, value] of this) callback.call(thisArgument, value, name, this);
  }

  *entries() {
    const sorted = [...this.#map].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [key, entry] of sorted) {
      if (key === 'set-cookie') for (const value of entry.values) yield [key, value];
      else yield [key, joined(entry)];
    }
  }

  *keys() {
    for (const [name] of this.entries()) yield name;
  }

  *values() {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  /** For `Request` and `Response`: makes headers immutable. */
  static freeze(headers) {
    headers.#immutable = true;
    return headers;
  }

  [inspectCustom](depth, options, inspect) {
    const entries = Array.from(this.#map.values(), (entry) => [entry.name, joined(entry)]);
    return `Headers ${inspect(Object.fromEntries(entries), options)}`;
  }
}
brand(Headers, 'Headers');

const joined = ({ name, values }) => values.join(name.toLowerCase() === 'cookie' ? '; ' : ', ');

export const { freeze: freezeHeaders } = Headers;
delete Headers.freeze;
