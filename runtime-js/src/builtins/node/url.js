// `node:url`: the WHATWG classes, file URLs, and the legacy functions as far as programs still use them.
import { domainToASCII, domainToUnicode } from 'lmthing:internal/native/url';
import { URL, URLSearchParams } from 'lmthing:internal/web/url';
import querystring from 'node:querystring';
import path from 'node:path';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const isWindows = process.platform === 'win32';

export function fileURLToPath(input) {
  const url = typeof input === 'string' ? new URL(input) : input;
  if (!(url instanceof URL)) throw invalidArgumentType('path', 'of type string or an instance of URL', input);
  if (url.protocol !== 'file:') throw nodeError(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  const badPath = (what) => nodeError(TypeError, 'ERR_INVALID_FILE_URL_PATH', `File URL path ${what}`);
  if (isWindows) {
    if (/%2f|%5c/i.test(url.pathname)) throw badPath('must not include encoded \\ or / characters');
    const decoded = decodeURIComponent(url.pathname).replaceAll('/', '\\');
    if (url.hostname !== '') return `\\\\${domainToUnicode(url.hostname)}${decoded}`;
    if (!/^\\[a-z]:/i.test(decoded)) throw badPath('must be absolute');
    return decoded.slice(1);
  }
  if (url.hostname !== '') {
    const message = `File URL host must be "localhost" or empty on ${process.platform}`;
    throw nodeError(TypeError, 'ERR_INVALID_FILE_URL_HOST', message);
  }
  if (/%2f/i.test(url.pathname)) throw badPath('must not include encoded / characters');
  return decodeURIComponent(url.pathname);
}

const ESCAPES = { '%': '%25', '\\': '%5C', '\n': '%0A', '\r': '%0D', '\t': '%09', '?': '%3F', '#': '%23' };

export function pathToFileURL(filePath) {
  if (typeof filePath !== 'string') throw invalidArgumentType('path', 'of type string', filePath);
  let resolved = path.resolve(filePath);
  // `resolve` drops a trailing slash, which marks a directory in a URL.
  if (/[/\\]$/.test(filePath) && !resolved.endsWith(path.sep)) resolved += '/';
  const escape = isWindows ? /[%\n\r\t?#]/g : /[%\\\n\r\t?#]/g;
  const escaped = resolved.replaceAll(escape, (character) => ESCAPES[character]);
  return new URL(`file://${isWindows ? `/${escaped.replaceAll('\\', '/')}` : escaped}`);
}

export function urlToHttpOptions(url) {
  const { hostname, pathname, search, hash, protocol, href, port, username, password } = url;
  const options = { protocol, hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname, hash, search, pathname, path: `${pathname}${search}`, href };
  if (port !== '') options.port = Number(port);
  if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { __proto__: null, ...url, ...options };
}

function formatUrl(url, { auth = true, fragment = true, search = true, unicode = false } = {}) {
  const copy = new URL(url.href);
  if (!fragment) copy.hash = '';
  if (!search) copy.search = '';
  if (!auth) copy.username = copy.password = '';
  if (!unicode || !copy.hostname) return copy.href;
  return copy.href.replace(copy.hostname, domainToUnicode(copy.hostname));
}

const escapeCharacter = (character) => (character === "'" ? '%27' : encodeURIComponent(character));

const SLASHED = /^(https?|ftp|gopher|file|wss?):?$/;

/** Formats a `URL` or a legacy URL object. */
export function format(url, options = undefined) {
  if (url instanceof URL) return formatUrl(url, options);
  if (typeof url === 'string') return parse(url).format();
  if (url === null || typeof url !== 'object') {
    throw invalidArgumentType('urlObject', 'one of type object or string', url);
  }
  let { protocol = '', pathname = '', hash = '', search = '' } = url;
  protocol ??= '';
  if (protocol && !protocol.endsWith(':')) protocol += ':';
  const auth = url.auth ? `${encodeURIComponent(url.auth).replace(/%3A/i, ':')}@` : '';
  const port = url.port ? `:${url.port}` : '';
  const hostname = url.hostname?.includes(':') && !url.hostname.startsWith('[') ? `[${url.hostname}]` : url.hostname;
  let host = url.host ? auth + url.host : url.hostname ? auth + hostname + port : '';
  const query = url.query && typeof url.query === 'object' ? querystring.stringify(url.query) : '';
  search = search || (query && `?${query}`);
  if (search && !search.startsWith('?')) search = `?${search}`;
  if (hash && !hash.startsWith('#')) hash = `#${hash}`;
  pathname = (pathname ?? '').replaceAll(/[?#]/g, encodeURIComponent);
  // File URLs have slashes even without a host.
  if (url.slashes || (SLASHED.test(protocol) && (host !== '' || protocol === 'file:'))) {
    host = `//${host}`;
    if (pathname && !pathname.startsWith('/')) pathname = `/${pathname}`;
  }
  return `${protocol}${host}${pathname}${(search ?? '').replaceAll('#', '%23')}${hash ?? ''}`;
}

/** The result of the legacy `url.parse`. */
export class Url {
  protocol = null;
  slashes = null;
  auth = null;
  host = null;
  port = null;
  hostname = null;
  hash = null;
  search = null;
  query = null;
  pathname = null;
  path = null;
  href = '';

  format() {
    return format(this);
  }
}

export function parse(text, parseQuery = false, slashesDenoteHost = false) {
  if (text instanceof Url) return text;
  if (typeof text !== 'string') throw invalidArgumentType('url', 'of type string', text);
  const url = new Url();
  let rest = text.trim().replace(/^[^?#]*/, (head) => head.replaceAll('\\', '/'));
  const take = (pattern) => {
    const match = pattern.exec(rest);
    if (match) rest = rest.replace(match[0], () => '');
    return match?.[0];
  };
  url.hash = take(/#.*$/s) ?? null;
  const search = take(/\?.*$/s);
  url.protocol = take(/^[a-z0-9.+-]+:/i)?.toLowerCase() ?? null;
  const isScript = url.protocol === 'javascript:';
  const mayHaveHost = url.protocol || slashesDenoteHost || /^\/\/[^@/]+@[^@/]+/.test(rest);
  if (rest.startsWith('//') && !isScript && mayHaveHost) {
    rest = rest.slice(2);
    url.slashes = true;
  }
  // Also without slashes, as in `mailto:a@b.c`.
  if (url.slashes || (url.protocol && !isScript && !SLASHED.test(url.protocol))) {
    const authority = take(/^(?:[^/]*@)?[^/\s%;"'<>\\^`{|}]*/) ?? '';
    const at = authority.lastIndexOf('@');
    if (at >= 0) url.auth = decodeURIComponent(authority.slice(0, at));
    let [, hostname, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*)$)?/.exec(authority.slice(at + 1));
    // An invalid port is the beginning of the path.
    const tail = authority.slice(at + 1 + hostname.length + (port === undefined ? 0 : port.length + 1));
    rest = tail + rest;
    if (rest !== '' && !rest.startsWith('/')) rest = `/${rest}`;
    url.hostname = domainToASCII(hostname.toLowerCase()) || hostname.toLowerCase();
    url.port = port || null;
    url.host = url.hostname + (port ? `:${port}` : '');
    url.hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  }
  const isWeb = SLASHED.test(url.protocol ?? '');
  url.pathname = rest.replaceAll(/[\s"'<>^`{|}]/g, escapeCharacter) || (isWeb && url.slashes ? '/' : null);
  url.search = search ?? (parseQuery ? '' : null);
  url.query = parseQuery ? querystring.parse((search ?? '').slice(1)) : (search?.slice(1) ?? null);
  url.path = url.pathname || search ? `${url.pathname ?? ''}${search ?? ''}` : null;
  url.href = url.format();
  return url;
}

/** Resolves `to` against `from`, both without a root; the result may begin with `..`. */
function resolveRelative(from, to) {
  const [source, target] = [parse(from), parse(to)];
  const [path, hash] = [source.pathname ?? '', target.hash ?? ''];
  // A query alone, or an empty reference, does not change the path.
  if (target.search !== null && !target.pathname) return `${path}${target.search}${hash}`;
  if (!target.pathname && hash === '') return `${path}${source.search ?? ''}`;
  const names = target.pathname ? [...path.split('/').slice(0, -1), ...target.pathname.split('/')] : path === '' ? [] : path.split('/');
  const kept = [];
  for (const name of names) {
    if (name === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (name !== '.') kept.push(name);
  }
  const isFolder = names.at(-1) === '' || (names.length > 1 && /^\.\.?$/.test(names.at(-1)));
  if (isFolder && !kept.join('/').endsWith('/')) kept.push('');
  return `${kept.join('/')}${(target.pathname ? target.search : source.search) ?? ''}${hash}`;
}

/** Resolves a reference against a base; either may be relative. */
export function resolve(from, to) {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(from) && /^[/\\]{2}/.test(to)) return to;
  const isRooted = (text) => /^([a-z][a-z0-9+.-]*:|[/\\])/i.test(text);
  if (!isRooted(from) && !isRooted(to)) return resolveRelative(from, to);
  const base = new URL(from, 'resolve://host/');
  const target = new URL(to, base);
  if (target.protocol !== 'resolve:') return target.href;
  const isAbsolute = /^[/\\]/.test(from) || /^[/\\]/.test(to);
  return `${isAbsolute ? target.pathname : target.pathname.slice(1)}${target.search}${target.hash}`;
}

export const resolveObject = (from, to) => parse(resolve(typeof from === 'string' ? from : format(from), to));

export { domainToASCII, domainToUnicode, URL, URLSearchParams };
export default { domainToASCII, domainToUnicode, fileURLToPath, format, parse, pathToFileURL, resolve, resolveObject, URL, URLSearchParams, Url, urlToHttpOptions };
