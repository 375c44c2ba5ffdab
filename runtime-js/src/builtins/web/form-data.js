// `FormData`, and its multipart and urlencoded forms.
import { Blob, bytesOf, File } from 'lmthing:internal/web/blob';
import { decodeUtf8, encodeUtf8 } from 'lmthing:internal/native/encoding';
import { randomBytes } from 'lmthing:internal/native/crypto';
import { parseQuery } from 'lmthing:internal/native/url';
import { concatenate } from '../shared/bytes.js';
import { brand } from '../shared/brand.js';

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const usvString = (value) => `${value}`.toWellFormed();

/** The value of an entry: string or `File`. */
function entryValue(value, fileName, given) {
  if (!(value instanceof Blob)) {
    if (given) throw new TypeError("FormData: parameter 2 is not of type 'Blob'.");
    return usvString(value);
  }
  if (value instanceof File && fileName === undefined) return value;
  const name = fileName === undefined ? 'blob' : usvString(fileName);
  return new File([value], name, { type: value.type, lastModified: value.lastModified });
}

export class FormData {
  #entries = [];

  constructor(form = undefined) {
    if (form !== undefined) {
      throw new TypeError("FormData constructor: Argument 1 could not be converted to: undefined.");
    }
  }

  append(name, value, fileName = undefined) {
    if (arguments.length < 2) {
      throw new TypeError(`FormData.append: 2 arguments required, but${arguments.length ? ' only' : ''} ${arguments.length} found.`);
    }
    this.#entries.push([usvString(name), entryValue(value, fileName, arguments.length > 2)]);
  }

  set(name, value, fileName = undefined) {
    if (arguments.length < 2) {
      throw new TypeError(`FormData.set: 2 arguments required, but${arguments.length ? ' only' : ''} ${arguments.length} found.`);
    }
    const entry = [usvString(name), entryValue(value, fileName, arguments.length > 2)];
    const index = this.#entries.findIndex(([key]) => key === entry[0]);
    if (index < 0) {
      this.#entries.push(entry);
      return;
    }
    this.#entries = this.#entries.filter(([key], position) => key !== entry[0] || position === index);
    this.#entries[index] = entry;
  }

  delete(name) {
    const wanted = usvString(name);
    this.#entries = this.#entries.filter(([key]) => key !== wanted);
  }

  get(name) {
    return this.getAll(name)[0] ?? null;
  }

  getAll(name) {
    const wanted = usvString(name);
    return this.#entries.flatMap(([key, value]) => (key === wanted ? [value] : []));
  }

  has(name) {
    return this.getAll(name).length > 0;
  }

  forEach(callback, thisArgument = undefined) {
    for (const [name, value] of this) callback.call(thisArgument, value, name, this);
  }

  *entries() {
    for (const [name, value] of this.#entries) yield [name, value];
  }

  *keys() {
    for (const [name] of this.#entries) yield name;
  }

  *values() {
    for (const [, value] of this.#entries) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  [inspectCustom](depth, options, inspect) {
    const entries = {};
    for (const [name, value] of this) {
      entries[name] = name in entries ? [entries[name], value].flat() : value;
    }
    return `FormData ${inspect(entries, options)}`;
  }
}
brand(FormData, 'FormData');

const escapeName = (name) => name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
const lineEndings = (text) => text.replaceAll(/\r\n|\r|\n/g, '\r\n');

/** The bytes and content type of a form as `multipart/form-data`. */
export function encodeMultipart(form) {
  const boundary = `----formdata-lmthing-${Array.from(randomBytes(12), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const parts = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(lineEndings(name))}"`;
    if (typeof value === 'string') {
      parts.push(encodeUtf8(`${head}\r\n\r\n${lineEndings(value)}\r\n`));
      continue;
    }
    const type = value.type || 'application/octet-stream';
    parts.push(encodeUtf8(`${head}; filename="${escapeName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`));
    parts.push(bytesOf(value), encodeUtf8('\r\n'));
  }
  parts.push(encodeUtf8(`--${boundary}--\r\n`));
  return { bytes: concatenate(parts), type: `multipart/form-data; boundary=${boundary}` };
}

function indexOfBytes(bytes, wanted, from) {
  for (let start = bytes.indexOf(wanted[0], from); start >= 0; start = bytes.indexOf(wanted[0], start + 1)) {
    if (wanted.every((byte, index) => bytes[start + index] === byte)) return start;
  }
  return -1;
}

const unescapeName = (name) => name.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%22', '"');

/** Parses one part between two delimiters; `undefined` if malformed. */
function parsePart(bytes, form) {
  const end = indexOfBytes(bytes, encodeUtf8('\r\n\r\n'), 0);
  if (end < 0) return false;
  const head = decodeUtf8(bytes.slice(0, end));
  const name = /^content-disposition:\s*form-data;.*?\bname="([^"]*)"/im.exec(head)?.[1];
  if (name === undefined) return false;
  const fileName = /^content-disposition:.*?\bfilename="([^"]*)"/im.exec(head)?.[1];
  const body = bytes.slice(end + 4);
  if (fileName === undefined) {
    form.append(unescapeName(name), decodeUtf8(body));
  } else {
    const type = /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1] ?? 'text/plain';
    form.append(unescapeName(name), new File([body], unescapeName(fileName), { type }));
  }
  return true;
}

function parseMultipart(bytes, boundary) {
  const failure = () => new TypeError('Failed to parse body as FormData.');
  const form = new FormData();
  const delimiter = encodeUtf8(`--${boundary}`);
  let start = indexOfBytes(bytes, delimiter, 0);
  if (start < 0) throw failure();
  for (;;) {
    start += delimiter.length;
    if (bytes[start] === 0x2d && bytes[start + 1] === 0x2d) return form; // "--": the last delimiter
    const next = indexOfBytes(bytes, encodeUtf8(`\r\n--${boundary}`), start);
    if (next < 0 || !parsePart(bytes.slice(start + 2, next), form)) throw failure();
    start = next + 2;
  }
}

/** Parses a body of a form content type, for `Response.formData()`. */
export function parseForm(bytes, contentType) {
  const [essence] = (contentType ?? '').split(';');
  if (essence.trim().toLowerCase() === 'multipart/form-data') {
    const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(contentType);
    if (boundary) return parseMultipart(bytes, boundary[1] ?? boundary[2]);
    throw new TypeError('Failed to parse body as FormData.');
  }
  if (essence.trim().toLowerCase() === 'application/x-www-form-urlencoded') {
    const form = new FormData();
    const pairs = parseQuery(decodeUtf8(bytes));
    for (let index = 0; index < pairs.length; index += 2) form.append(pairs[index], pairs[index + 1]);
    return form;
  }
  throw new TypeError('Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".');
}
