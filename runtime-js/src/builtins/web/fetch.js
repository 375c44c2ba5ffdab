// `fetch` over the native HTTP client (`src/script/globals/fetch.rs`): redirects, aborting and errors.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { exchange as openExchange, userAgent } from 'lmthing:internal/native/fetch';
import { decodeUtf8, encodeUtf8 } from 'lmthing:internal/native/encoding';
import { Headers } from 'lmthing:internal/web/headers';
import { URL } from 'lmthing:internal/web/url';
import { asBytes } from '../shared/bytes.js';
import { origin, withOrigin } from '../shared/origin.js';
import { extractBody, networkBody } from './body.js';
import { bodyOf, received, Request, Response } from './request-response.js';

export { Request, Response };

const MAX_REDIRECTS = 20;
const REDIRECT_STATUS = new Set([301, 302, 303, 307, 308]);
/** Ports that the Fetch standard blocks. */
const BAD_PORTS = new Set(
  ('1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 ' +
    '139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 ' +
    '1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080').split(' '),
);
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'];
const SECRET_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'host'];

/** Errors made here with an empty stack; a signal's reason belongs to the script. */
const ours = new WeakSet();

function failed(cause) {
  const error = new TypeError('fetch failed', { cause });
  ours.add(error);
  return error;
}

/** Node's error for a native failure `{code, message}`. */
function networkCause({ code, message }, url) {
  const { hostname, port, protocol } = url;
  if (code === 'ENOTFOUND') {
    const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
    return Object.assign(error, { code, syscall: 'getaddrinfo', hostname });
  }
  if (/^E(CONN|TIMEDOUT|HOST|NET|ADDR)/.test(code) && code !== 'ECONNRESET' && code !== 'ECONNABORTED') {
    const portNumber = Number(port || (protocol === 'https:' ? 443 : 80));
    const error = new Error(`connect ${code} ${hostname}:${portNumber}`);
    return Object.assign(error, { code, syscall: 'connect', address: hostname, port: portNumber });
  }
  const error = new Error(message);
  if (code === 'UND_ERR_SOCKET') error.name = 'SocketError';
  return Object.assign(error, { code });
}

/** The headers to send: the request's own, then those that `fetch` adds, as in Node. */
function wireHeaders(headers, emptyBody, protocol) {
  const all = new Headers(headers);
  // A range of a compressed body cannot be decompressed.
  const codings = all.has('range') ? 'identity' : protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate';
  const defaults = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': userAgent, 'accept-encoding': codings };
  for (const [name, value] of Object.entries(defaults)) if (!all.has(name)) all.set(name, value);
  // The transport sets the length of bodies, except of an empty one.
  if (emptyBody) all.set('content-length', '0');
  else all.delete('content-length');
  return Array.from(all).flat();
}

/** Sends the parts of a stream with backpressure. A failure of the stream fails the request. */
async function pump(stream, exchange) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        exchange.end();
        return;
      }
      const bytes = value instanceof Uint8Array ? asBytes(value) : undefined;
      if (!bytes) throw new TypeError('Received non-Uint8Array chunk');
      if (!(await exchange.write(bytes))) {
        await reader.cancel();
        return;
      }
    }
  } catch (error) {
    exchange.streamError = error;
    reader.cancel(error).catch(() => {});
    await exchange.fail(String(error?.message ?? error));
  }
}

/** Sends one request and receives the head of its response, without following redirects. */
async function hop(state) {
  const { url, method, headers, body, signal } = state;
  if (BAD_PORTS.has(url.port)) throw failed(new Error('bad port'));
  const streamed = Boolean(body && !body.bytes);
  const emptyBody = body === null && (method === 'POST' || method === 'PUT' || method === 'PATCH');
  const bytes = emptyBody ? new Uint8Array(0) : body?.bytes && asBytes(body.bytes);
  const exchange = openExchange(method, url.href.replace(/#.*$/, ''), wireHeaders(headers, emptyBody, url.protocol), bytes, streamed);
  if (exchange.code) throw failed(networkCause(exchange, url));
  if (body) body.used = true;
  const abort = () => exchange.abort();
  signal.addEventListener('abort', abort, { once: true });
  if (streamed) pump(body.stream, exchange);
  const answer = await exchange.send();
  if (signal.aborted) {
    exchange.abort();
    throw signal.reason;
  }
  if (answer.code) {
    signal.removeEventListener('abort', abort);
    throw failed(exchange.streamError ?? networkCause(answer, url));
  }
  return { ...answer.value, exchange, abort };
}

/** The URL of a redirect, or `undefined`. */
function redirectTarget({ status, headers }, url) {
  if (!REDIRECT_STATUS.has(status)) return undefined;
  const index = headers.findIndex((name, position) => position % 2 === 0 && name === 'location');
  if (index < 0) return undefined;
  let target;
  try {
    target = new URL(headers[index + 1], url.href);
  } catch (cause) {
    throw failed(cause);
  }
  if (!/^https?:$/.test(target.protocol)) throw failed(new Error('URL scheme must be a HTTP(S) scheme'));
  if (target.hash === '') target.hash = url.hash;
  return target;
}

/** Changes the request for the next hop: HTTP-redirect fetch of the standard. */
function redirect(state, status, target) {
  if ((status === 303 && state.method !== 'GET' && state.method !== 'HEAD') || (status <= 302 && state.method === 'POST')) {
    state.method = 'GET';
    state.body = null;
    for (const name of BODY_HEADERS) state.headers.delete(name);
  } else if (state.body) {
    if (!state.body.source) throw failed(new Error('a streamed body cannot be sent again after a redirect'));
    state.body = extractBody(state.body.source);
  }
  if (target.origin !== state.url.origin) for (const name of SECRET_HEADERS) state.headers.delete(name);
  state.url = target;
}

/** Converts alternating names and values to pairs. */
function pairsOf(list) {
  const pairs = [];
  for (let index = 0; index < list.length; index += 2) pairs.push(list.slice(index, index + 2));
  return pairs;
}

/** Flush modes of zlib and brotli that return all output so far. A truncated body yields what it has, as in Node. */
const [SYNC_FLUSH, BROTLI_FLUSH] = [2, 1];
const WINDOW_BITS = 15;

/**
 * A decoder for one content coding, chosen by the first byte: servers send `deflate` with and without zlib's header.
 */
function openDecoder(coding, first) {
  const { open, openBrotli } = importBuiltin('lmthing:internal/native/compression');
  if (coding === 'br') return openBrotli(false, 0, 0, 0, 0);
  const mode = coding !== 'deflate' ? 'gunzip' : (first & 0x0f) === 0x08 ? 'inflate' : 'inflateRaw';
  return open(mode, -1, WINDOW_BITS, undefined);
}

function stepOf(coding) {
  let codec;
  return (bytes) => {
    if (bytes.byteLength === 0) return bytes;
    codec ??= openDecoder(coding, bytes[0]);
    const { code, number, message, value } = codec.process(bytes, coding === 'br' ? BROTLI_FLUSH : SYNC_FLUSH);
    if (code) throw new TypeError('terminated', { cause: Object.assign(new Error(message), { errno: number, code }) });
    return value;
  };
}

/** The decoders for `content-encoding`, in order; none if it contains an unknown coding. */
function stepsOf(header) {
  const codings = (header ?? '').toLowerCase().split(',').map((coding) => coding.trim().replace(/^x-/, '')).filter(Boolean);
  if (!codings.every((coding) => coding === 'gzip' || coding === 'deflate' || coding === 'br')) return [];
  return codings.reverse().map(stepOf);
}

/** Bytes decompressed at a time: the output may be a thousand times larger. */
const PACKED_PIECE = 16 << 10;

function* unpacked(bytes, [step, ...rest]) {
  if (!step) return yield bytes;
  for (let at = 0; at < bytes.byteLength; at += PACKED_PIECE) yield* unpacked(step(bytes.subarray(at, at + PACKED_PIECE)), rest);
}

function receivedBody({ exchange, abort, headers }, { signal, url }) {
  const steps = stepsOf(new Headers(pairsOf(headers)).get('content-encoding'));
  let pieces = [].values();
  const read = async () => {
    for (;;) {
      const { value: piece } = pieces.next();
      if (piece) return piece;
      const part = await exchange.read();
      if (signal.aborted) throw signal.reason;
      if (part.code) {
        signal.removeEventListener('abort', abort);
        throw new TypeError('terminated', { cause: networkCause(part, url) });
      }
      if (part.value === undefined) {
        signal.removeEventListener('abort', abort);
        return undefined;
      }
      pieces = unpacked(part.value, steps);
    }
  };
  return networkBody(read, () => {
    signal.removeEventListener('abort', abort);
    exchange.abort();
  });
}

async function fetchNetwork(request) {
  const { signal, method } = request;
  const state = { url: new URL(request.url), method, headers: new Headers(request.headers), body: bodyOf(request), signal };
  for (let redirects = 0; ; redirects++) {
    const answer = await hop(state);
    const target = request.redirect === 'manual' ? undefined : redirectTarget(answer, state.url);
    if (target) {
      signal.removeEventListener('abort', answer.abort);
      answer.exchange.abort();
      if (request.redirect === 'error') throw failed(new Error('unexpected redirect'));
      if (redirects === MAX_REDIRECTS) throw failed(new Error('redirect count exceeded'));
      redirect(state, answer.status, target);
      continue;
    }
    const headers = pairsOf(answer.headers);
    const body = method === 'HEAD' ? null : receivedBody(answer, state);
    const url = state.url.href.replace(/#.*$/, '');
    return received({ status: answer.status, statusText: answer.statusText, headers, body, url, redirected: redirects > 0 });
  }
}

/** Start and end of `bytes=1-2`, `bytes=1-` and `bytes=-2`; undefined for other forms. */
function partOf(range, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range.replaceAll(/[\t ]/g, '')) ?? [];
  if (first === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return [Math.max(size - Number(last), 0), size];
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  return Number(first) < size && Number(first) < end ? [Number(first), end] : undefined;
}

/** `blob:` URLs from `URL.createObjectURL`. */
function fetchBlob({ url, method, headers }) {
  const blob = importBuiltin('lmthing:internal/web/object-urls').resolveObjectURL(url);
  if (method !== 'GET' || !blob) throw failed(new Error('invalid method'));
  const range = headers.get('range');
  const part = range === null ? [0, blob.size] : partOf(range, blob.size);
  if (!part) throw failed(new Error('failed to fetch the data URL'));
  const [start, end] = part;
  const more = range === null ? [] : [['content-range', `bytes ${start}-${end - 1}/${blob.size}`]];
  const answer = { status: range === null ? 200 : 206, statusText: range === null ? 'OK' : 'Partial Content', url, redirected: false };
  const pairs = [['content-length', `${end - start}`], ['content-type', blob.type], ...more];
  return received({ ...answer, headers: pairs, body: extractBody(blob.slice(start, end, blob.type)) });
}

/** `data:[type][;base64],data`. */
function fetchData(request) {
  const text = request.url.replace(/#.*$/, '');
  const match = /^data:([^,]*?)(;\s*base64)?,(.*)$/is.exec(text);
  if (!match) throw failed(new Error('failed to fetch the data URL'));
  const [, given, base64, data] = match;
  let bytes = percentDecode(data);
  if (base64) {
    try {
      bytes = Uint8Array.from(atob(decodeUtf8(bytes)), (character) => character.charCodeAt(0));
    } catch {
      throw failed(new Error('failed to fetch the data URL'));
    }
  }
  const trimmed = given.trim();
  const isType = /^[^\s;/]+\/[^\s;/]+/.test(trimmed);
  const type = isType ? trimmed : trimmed.startsWith(';') ? `text/plain${trimmed}` : 'text/plain;charset=US-ASCII';
  const headers = [['Content-Type', type]];
  return received({ status: 200, statusText: 'OK', headers, body: extractBody(bytes), url: text, redirected: false });
}

function percentDecode(text) {
  const bytes = [];
  const source = encodeUtf8(text);
  for (let index = 0; index < source.length; index++) {
    const pair = source[index] === 0x25 ? String.fromCharCode(source[index + 1], source[index + 2]) : '';
    if (/^[0-9a-f]{2}$/i.test(pair)) {
      bytes.push(parseInt(pair, 16));
      index += 2;
    } else {
      bytes.push(source[index]);
    }
  }
  return Uint8Array.from(bytes);
}

/** Rejects with the signal's reason when aborted, and with `TypeError: fetch failed` (see its `cause`). */
export async function fetch(input, init = undefined) {
  if (arguments.length === 0) throw new TypeError('fetch: 1 argument required, but only 0 present.');
  const from = origin();
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  const { protocol } = new URL(request.url);
  switch (protocol) {
    case 'http:':
    case 'https:':
      try {
        return await fetchNetwork(request);
      } catch (error) {
        throw ours.has(error) ? withOrigin(error, from) : error;
      }
    case 'data:':
      return fetchData(request);
    case 'blob:':
      return fetchBlob(request);
    case 'file:':
      throw failed(new Error('lmthing does not fetch file: URLs; use readFile of node:fs/promises'));
    default:
      throw failed(new Error('unknown scheme'));
  }
}
