// Bodies of requests and responses, and the methods that read them.
import { Blob, bytesOf } from 'lmthing:internal/web/blob';
import { encodeMultipart, FormData, parseForm } from 'lmthing:internal/web/form-data';
import { ReadableStream } from 'lmthing:internal/web/streams';
import { URLSearchParams } from 'lmthing:internal/web/url';
import { decodeUtf8, encodeUtf8 } from 'lmthing:internal/native/encoding';
import { asBytes, concatenate } from '../shared/bytes.js';
import { origin, withOrigin } from '../shared/origin.js';

/**
 * A body: `bytes` when all are available and no stream was requested, else a `stream`. `used` once read. `type` is its
 * content type, if any.
 */
class Body {
  used = false;

  constructor({ bytes, stream, type }) {
    this.bytes = bytes;
    this.source = bytes; // what a redirect sends again
    this.givenStream = stream;
    this.type = type;
  }

  /** The body as a stream, made on first use. */
  get stream() {
    this.givenStream ??= streamOfBytes(this);
    return this.givenStream;
  }

  /** The stream is being read; after `clone()`, this belongs to neither of the two bodies. */
  touch() {
    if (!this.teed) this.used = true;
  }

  get unusable() {
    return this.used || Boolean(this.givenStream?.locked);
  }
}

function streamOfBytes(body) {
  const { bytes } = body;
  body.bytes = undefined;
  return new ReadableStream(
    {
      type: 'bytes',
      pull(controller) {
        body.touch();
        if (bytes.byteLength > 0) controller.enqueue(bytes.slice());
        controller.close();
        controller.byobRequest?.respond(0);
      },
      cancel() {
        body.used = true;
      },
    },
    { highWaterMark: 0 },
  );
}

function streamOfIterable(iterable) {
  const iterator = iterable[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === 'string' ? encodeUtf8(value) : (asBytes(value) ?? value));
    },
    cancel: (reason) => iterator.return?.(reason),
  }, { highWaterMark: 0 });
}

/** A body of any value that the Fetch standard allows, and of async iterables, as in Node; `null` stays `null`. */
export function extractBody(source) {
  if (source === null || source === undefined) return null;
  if (source instanceof ReadableStream) {
    if (source.locked) throw new TypeError('Response body object should not be disturbed or locked');
    return new Body({ stream: source });
  }
  if (source instanceof URLSearchParams) {
    return new Body({ bytes: encodeUtf8(`${source}`), type: 'application/x-www-form-urlencoded;charset=UTF-8' });
  }
  if (source instanceof Blob) return new Body({ bytes: bytesOf(source), type: source.type || undefined });
  if (source instanceof FormData) return new Body(encodeMultipart(source));
  const bytes = asBytes(source);
  if (bytes) return new Body({ bytes: bytes.slice() });
  if (typeof source[Symbol.asyncIterator] === 'function') return new Body({ stream: streamOfIterable(source) });
  return new Body({ bytes: encodeUtf8(`${source}`.toWellFormed()), type: 'text/plain;charset=UTF-8' });
}

/** A body from the network: `read()` returns the next bytes or `undefined`, `cancel(reason)` ends it. */
export function networkBody(read, cancel) {
  const body = new Body({});
  body.givenStream = new ReadableStream(
    {
      type: 'bytes',
      async pull(controller) {
        body.touch();
        let bytes;
        do bytes = await read();
        while (bytes?.byteLength === 0);
        if (bytes) {
          controller.enqueue(bytes);
          return;
        }
        controller.close();
        controller.byobRequest?.respond(0);
      },
      cancel(reason) {
        body.used = true;
        return cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return body;
}

/** Splits a body for `clone()`; the first replaces the original. */
export function teeBody(body) {
  if (body.bytes) return [body, new Body({ bytes: body.bytes, type: body.type })];
  const [first, second] = body.stream.tee();
  body.teed = true;
  body.givenStream = first;
  return [body, new Body({ stream: second, type: body.type })];
}

/** Reads all bytes. The body counts as used immediately. */
export async function readBody(body) {
  if (body === null) return new Uint8Array(0);
  if (body.unusable) throw new TypeError('Body is unusable: Body has already been read');
  body.used = true;
  if (body.bytes) return body.bytes;
  const parts = [];
  const reader = body.stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatenate(parts);
    if (!(value instanceof Uint8Array)) {
      const error = new TypeError('Received non-Uint8Array chunk');
      reader.cancel(error).catch(() => {});
      throw error;
    }
    parts.push(value);
  }
}

const withoutMark = (text) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/** Characters of an invalid JSON body to show. */
const SHOWN = 60;

/** The position where a text stops being JSON, if in its first token; else its length. */
function wrongAt(text) {
  const begin = text.search(/\S/u);
  if (begin < 0) return text.length;
  const word = ['true', 'false', 'null'].find((literal) => literal[0] === text[begin]);
  if (!word) return /[[{"\d-]/.test(text[begin]) ? text.length : begin;
  let at = begin;
  while (at < text.length && text[at] === word[at - begin]) at++;
  return at - begin === word.length ? text.length : at;
}

/** Characters to show around the invalid position. */
const AROUND = 10;

function around(text, at) {
  if (text.length <= 2 * AROUND) return `"${text}"`;
  const [begin, end] = [Math.max(0, at - AROUND), Math.min(text.length, at + AROUND)];
  return `${begin > 0 ? '...' : ''}"${text.slice(begin, end)}"${end < text.length ? '...' : ''}`;
}

/** Parses JSON. The error has Node's message, and a hint about the response. */
function parsedJson(text, { url, status, headers }) {
  try {
    return JSON.parse(text);
  } catch (error) {
    let { message } = error;
    const at = wrongAt(text);
    if (text === '') message = 'Unexpected end of JSON input';
    else if (at < text.length) message = `Unexpected token '${String.fromCodePoint(text.codePointAt(at))}', ${around(text, at)} is not valid JSON`;
    const detailed = new SyntaxError(message);
    const type = headers.get('content-type') ?? 'no content type';
    const from = url ? `the answer of ${url.split('?')[0]} (${status === undefined ? '' : `status ${status}, `}${type})` : `the body (${type})`;
    const line = text.slice(0, SHOWN).replace(/\s+/g, ' ').trim();
    const rest = text.length > SHOWN ? '…' : '';
    const hint = text === '' ? `${from} is empty` : `${from} begins with: ${line}${rest}`;
    Object.defineProperty(detailed, 'lmthing:hint', { value: hint, configurable: true });
    return detailed;
  }
}

/** Reads a body; adds the caller's stack to failures. */
async function reading(body, finish) {
  const from = origin();
  let result;
  try {
    result = finish(await readBody(body));
  } catch (error) {
    // Errors of the script's own stream are left unchanged.
    throw error instanceof TypeError && error.message === 'terminated' ? withOrigin(error, from) : error;
  }
  if (result instanceof SyntaxError) throw withOrigin(result, from);
  return result;
}

/** Adds the body's accessors and methods to a class; `bodyOf(object)` returns the body. */
export function addBodyMethods(Class, bodyOf) {
  const readers = {
    async arrayBuffer() {
      const bytes = await readBody(bodyOf(this));
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    },
    async bytes() {
      return (await readBody(bodyOf(this))).slice();
    },
    async blob() {
      return new Blob([await readBody(bodyOf(this))], { type: this.headers.get('content-type') ?? '' });
    },
    async formData() {
      const type = this.headers.get('content-type');
      return parseForm(await readBody(bodyOf(this)), type);
    },
    async json() {
      return reading(bodyOf(this), (bytes) => parsedJson(withoutMark(decodeUtf8(bytes)), this));
    },
    async text() {
      return reading(bodyOf(this), (bytes) => withoutMark(decodeUtf8(bytes)));
    },
  };
  for (const [name, value] of Object.entries(readers)) {
    Object.defineProperty(Class.prototype, name, { value, writable: true, configurable: true, enumerable: true });
  }
  Object.defineProperty(Class.prototype, 'body', {
    get() {
      return bodyOf(this)?.stream ?? null;
    },
    configurable: true,
    enumerable: true,
  });
  Object.defineProperty(Class.prototype, 'bodyUsed', {
    get() {
      return Boolean(bodyOf(this)?.used);
    },
    configurable: true,
    enumerable: true,
  });
}
