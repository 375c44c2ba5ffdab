import { AbortController, AbortSignal } from 'lmthing:internal/web/events';
import { freezeHeaders, Headers } from 'lmthing:internal/web/headers';
import { URL } from 'lmthing:internal/web/url';
import { inspectOwn } from '../shared/inspect-own.js';
import { addBodyMethods, extractBody, teeBody } from './body.js';
import { brand } from '../shared/brand.js';

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const NORMALIZED_METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']);
const NULL_BODY_STATUS = new Set([101, 204, 205, 304]);
const REDIRECT_STATUS = new Set([301, 302, 303, 307, 308]);
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function checkedMethod(method) {
  const text = `${method}`;
  if (!TOKEN.test(text)) throw new TypeError(`'${text}' is not a valid HTTP method.`);
  const upper = text.toUpperCase();
  if (['CONNECT', 'TRACE', 'TRACK'].includes(upper)) throw new TypeError(`'${text}' HTTP method is unsupported.`);
  return NORMALIZED_METHODS.has(upper) ? upper : text;
}

function parsedUrl(input) {
  let url;
  try {
    url = new URL(input);
  } catch (cause) {
    throw new TypeError(`Failed to parse URL from ${input}`, { cause });
  }
  if (url.username || url.password) {
    throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${input}`);
  }
  return url;
}

function oneOf(value, allowed, name) {
  if (allowed.includes(value)) return value;
  const list = allowed.join(', ');
  throw new TypeError(`Request constructor: ${value} is not an accepted type. Expected ${name} to be one of ${list}.`);
}

const bodies = new WeakMap();
export const bodyOf = (object) => bodies.get(object);

export class Request {
  #url;
  #method = 'GET';
  #headers;
  #redirect = 'follow';
  #signal;
  #options = {};

  constructor(input, init = {}) {
    if (arguments.length === 0) throw new TypeError('Request constructor: 1 argument required, but only 0 present.');
    init ??= {};
    if (typeof init !== 'object' && typeof init !== 'function') {
      throw new TypeError('Request constructor: Expected init ("RequestInit") to be one of: Null, Undefined, Object.');
    }
    const base = input instanceof Request ? input : undefined;
    this.#url = base ? base.#url : parsedUrl(input);
    if (base) this.#inherit(base);
    if (init.method !== undefined) this.#method = checkedMethod(init.method);
    if (init.redirect !== undefined) this.#redirect = oneOf(`${init.redirect}`, ['follow', 'error', 'manual'], 'redirect');
    for (const name of ['cache', 'credentials', 'integrity', 'keepalive', 'mode', 'referrerPolicy']) {
      if (init[name] !== undefined) this.#options[name] = init[name];
    }
    this.#followSignal(init.signal === undefined ? base?.#signal : init.signal);
    this.#headers = new Headers(init.headers ?? base?.headers);
    this.#takeBody(init, base);
  }

  #inherit(base) {
    this.#method = base.#method;
    this.#redirect = base.#redirect;
    this.#options = { ...base.#options };
  }

  /** The request has its own signal, which follows the given one. */
  #followSignal(signal) {
    if (signal === null || signal === undefined) {
      this.#signal = new AbortController().signal;
      return;
    }
    if (!(signal instanceof AbortSignal)) {
      throw new TypeError('RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.');
    }
    this.#signal = AbortSignal.any([signal]);
  }

  #takeBody(init, base) {
    const given = init.body !== undefined && init.body !== null;
    const inherited = given ? null : (bodies.get(base) ?? null);
    if ((given || inherited) && (this.#method === 'GET' || this.#method === 'HEAD')) {
      throw new TypeError('Request with GET/HEAD method cannot have body.');
    }
    const body = given ? extractBody(init.body) : inherited;
    if (given && body.givenStream && init.duplex !== 'half') {
      throw new TypeError('RequestInit: duplex option is required when sending a body.');
    }
    if (inherited) {
      if (inherited.unusable) {
        throw new TypeError('Cannot construct a Request with a Request object that has already been used.');
      }
      const [, own] = teeBody(inherited);
      inherited.used = true;
      own.type = inherited.type;
      bodies.set(this, own);
      return;
    }
    if (body?.type && !this.#headers.has('content-type')) this.#headers.set('content-type', body.type);
    bodies.set(this, body);
  }

  get method() {
    return this.#method;
  }
  get url() {
    return this.#url.href;
  }
  get headers() {
    return this.#headers;
  }
  get destination() {
    return '';
  }
  get referrer() {
    return 'about:client';
  }
  get referrerPolicy() {
    return this.#options.referrerPolicy ?? '';
  }
  get mode() {
    return this.#options.mode ?? 'cors';
  }
  get credentials() {
    return this.#options.credentials ?? 'same-origin';
  }
  get cache() {
    return this.#options.cache ?? 'default';
  }
  get redirect() {
    return this.#redirect;
  }
  get integrity() {
    return this.#options.integrity ?? '';
  }
  get keepalive() {
    return Boolean(this.#options.keepalive);
  }
  get isReloadNavigation() {
    return false;
  }
  get isHistoryNavigation() {
    return false;
  }
  get signal() {
    return this.#signal;
  }
  get duplex() {
    return 'half';
  }

  clone() {
    const body = bodies.get(this);
    if (body?.unusable) throw new TypeError('unusable');
    const copy = new Request(this.url, { method: this.#method, headers: this.#headers, redirect: this.#redirect, signal: this.#signal });
    copy.#options = { ...this.#options };
    copy.#url = this.#url;
    if (body) bodies.set(copy, teeBody(body)[1]);
    return copy;
  }

  [inspectCustom](depth, options, inspect) {
    const names = ['method', 'url', 'headers', 'destination', 'referrer', 'referrerPolicy', 'mode', 'credentials', 'cache'];
    const rest = ['redirect', 'integrity', 'keepalive', 'isReloadNavigation', 'isHistoryNavigation', 'signal'];
    return inspectOwn(this, [...names, ...rest], depth, options, inspect);
  }
}
brand(Request, 'Request');
addBodyMethods(Request, bodyOf);

export class Response {
  #status;
  #statusText;
  #headers;
  #type = 'default';
  #url = '';
  #redirected = false;

  constructor(body = null, init = {}) {
    init ??= {};
    if (typeof init !== 'object' && typeof init !== 'function') {
      throw new TypeError('Response constructor: Expected init ("ResponseInit") to be one of: Null, Undefined, Object.');
    }
    this.#status = init.status === undefined ? 200 : Math.trunc(Number(init.status)) & 0xffff;
    if (this.#status < 200 || this.#status > 599) {
      throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    }
    this.#statusText = init.statusText === undefined ? '' : `${init.statusText}`;
    if (/[^\t\x20-\x7e\x80-\xff]/.test(this.#statusText)) throw new TypeError('Invalid statusText');
    this.#headers = new Headers(init.headers);
    const extracted = extractBody(body);
    if (extracted && NULL_BODY_STATUS.has(this.#status)) {
      throw new TypeError(`Response constructor: Invalid response status code ${this.#status}`);
    }
    if (extracted?.type && !this.#headers.has('content-type')) this.#headers.set('content-type', extracted.type);
    bodies.set(this, extracted);
  }

  static error() {
    const response = new Response();
    response.#status = 0;
    response.#type = 'error';
    freezeHeaders(response.#headers);
    return response;
  }

  static redirect(url, status = 302) {
    let location;
    try {
      location = new URL(url).href;
    } catch (cause) {
      throw new TypeError(`Failed to parse URL from ${url}`, { cause });
    }
    if (!REDIRECT_STATUS.has(status)) throw new RangeError(`Invalid status code ${status}`);
    const response = new Response(null, { status, headers: { location } });
    freezeHeaders(response.#headers);
    return response;
  }

  static json(data, init = {}) {
    const text = JSON.stringify(data);
    if (text === undefined) throw new TypeError('Value is not JSON serializable');
    const response = new Response(text, init);
    if (!new Headers(init?.headers).has('content-type')) response.#headers.set('content-type', 'application/json');
    return response;
  }

  /** For `fetch`: a response from the network. */
  static received({ status, statusText, headers, body, url, redirected }) {
    const response = new Response();
    response.#status = status;
    response.#statusText = statusText;
    response.#headers = freezeHeaders(new Headers(headers));
    response.#type = 'basic';
    response.#url = url;
    response.#redirected = redirected;
    bodies.set(response, NULL_BODY_STATUS.has(status) ? null : body);
    return response;
  }

  get type() {
    return this.#type;
  }
  get url() {
    return this.#url;
  }
  get redirected() {
    return this.#redirected;
  }
  get status() {
    return this.#status;
  }
  get ok() {
    return this.#status >= 200 && this.#status <= 299;
  }
  get statusText() {
    return this.#statusText;
  }
  get headers() {
    return this.#headers;
  }

  clone() {
    const body = bodies.get(this);
    if (body?.unusable) throw new TypeError('Response.clone: Body has already been consumed.');
    const copy = new Response();
    copy.#status = this.#status;
    copy.#statusText = this.#statusText;
    copy.#headers = new Headers(this.#headers);
    copy.#type = this.#type;
    copy.#url = this.#url;
    copy.#redirected = this.#redirected;
    if (body) bodies.set(copy, teeBody(body)[1]);
    return copy;
  }

  [inspectCustom](depth, options, inspect) {
    const names = ['status', 'statusText', 'headers', 'body', 'bodyUsed', 'ok', 'redirected', 'type', 'url'];
    return inspectOwn(this, names, depth, options, inspect);
  }
}
brand(Response, 'Response');
addBodyMethods(Response, bodyOf);

export const { received } = Response;
delete Response.received;
