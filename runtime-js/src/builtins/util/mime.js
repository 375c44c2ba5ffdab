// `util.MIMEType` and `util.MIMEParams`, by the MIME Sniffing standard.
import { brand } from '../shared/brand.js';
import { nodeError } from '../shared/errors.js';

const NOT_TOKEN = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
const NOT_QUOTED = /[^\t\x20-\x7e\x80-\xff]/;
const SPACE = '[\\r\\n\\t ]*';
// A name, and a value that is quoted or ends at the next semicolon.
const PARAMETER = new RegExp(`${SPACE};${SPACE}([^;=]*)(?:=("(?:\\\\[^]|[^"\\\\])*"?[^;]*|[^;]*))?`, 'g');

function invalid(what, text, index) {
  const where = index >= 0 ? ` at ${index}` : '';
  return nodeError(TypeError, 'ERR_INVALID_MIME_SYNTAX', `The MIME syntax for a ${what} in ${JSON.stringify(text)} is invalid${where}`);
}

function checkToken(text, what, whole = text) {
  const bad = text.search(NOT_TOKEN);
  if (text === '' || bad >= 0) throw invalid(what, whole, bad);
  return text;
}

function unquote(text) {
  const body = /^"((?:\\[^]|[^"\\])*)/.exec(text)[1];
  return body.replaceAll(/\\([^])/g, '$1');
}

function quote(value) {
  if (value !== '' && !NOT_TOKEN.test(value)) return value;
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

export class MIMEParams {
  #values = new Map();

  /** Parses the parameters; the first of two values counts, and malformed ones are ignored. */
  static read(params, text) {
    for (const [, name, value] of text.matchAll(PARAMETER)) {
      if (value === undefined) continue;
      const key = name.toLowerCase();
      const isQuoted = value.startsWith('"');
      const plain = isQuoted ? unquote(value) : value.replace(/[\r\n\t ]+$/, '');
      if (key === '' || NOT_TOKEN.test(key) || NOT_QUOTED.test(plain) || (plain === '' && !isQuoted)) continue;
      if (!params.#values.has(key)) params.#values.set(key, plain);
    }
  }

  get(name) {
    return this.#values.get(`${name}`) ?? null;
  }

  has(name) {
    return this.#values.has(`${name}`);
  }

  set(name, value) {
    const [key, text] = [`${name}`, `${value}`];
    checkToken(key, 'parameter name');
    const bad = text.search(NOT_QUOTED);
    if (bad >= 0) throw invalid('parameter value', text, bad);
    this.#values.set(key, text);
  }

  delete(name) {
    this.#values.delete(`${name}`);
  }

  *entries() {
    yield* this.#values.entries();
  }

  *keys() {
    yield* this.#values.keys();
  }

  *values() {
    yield* this.#values.values();
  }

  toString() {
    return [...this.#values].map(([name, value]) => `${name}=${quote(value)}`).join(';');
  }

  toJSON() {
    return this.toString();
  }

  [Symbol.iterator]() {
    return this.entries();
  }
}
const { read } = MIMEParams;
delete MIMEParams.read;
brand(MIMEParams, 'MIMEParams', false);

export class MIMEType {
  #type;
  #subtype;
  #params = new MIMEParams();

  constructor(input) {
    const text = `${input}`;
    const [, type, rest] = /^[\r\n\t ]*([^/]*)(?:\/([^]*))?$/.exec(text);
    if (rest === undefined) throw invalid('type', text, type.search(NOT_TOKEN));
    this.#type = checkToken(type, 'type', text).toLowerCase();
    const end = rest.indexOf(';') < 0 ? rest.length : rest.indexOf(';');
    this.#subtype = checkToken(rest.slice(0, end).replace(/[\r\n\t ]+$/, ''), 'subtype', text).toLowerCase();
    read(this.#params, rest.slice(end));
  }

  get type() {
    return this.#type;
  }
  set type(value) {
    this.#type = checkToken(`${value}`, 'type').toLowerCase();
  }

  get subtype() {
    return this.#subtype;
  }
  set subtype(value) {
    this.#subtype = checkToken(`${value}`, 'subtype').toLowerCase();
  }

  get essence() {
    return `${this.#type}/${this.#subtype}`;
  }

  get params() {
    return this.#params;
  }

  toString() {
    const params = this.#params.toString();
    return params === '' ? this.essence : `${this.essence};${params}`;
  }

  toJSON() {
    return this.toString();
  }
}
brand(MIMEType, 'MIMEType', false);
