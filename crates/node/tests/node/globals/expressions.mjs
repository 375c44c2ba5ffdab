// Expressions whose printed results must be Node's. `node crates/node/tests/node/globals/expressions.mjs` writes them to
// expressions.expected.json; in lmthing this module compares.
import assert from 'node:assert';
import crypto from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import EventEmitter from 'node:events';
import path from 'node:path';
import querystring from 'node:querystring';
import { StringDecoder } from 'node:string_decoder';
import url from 'node:url';
import util from 'node:util';

const bytes = (...values) => new Uint8Array(values);
const decode = (label, values, options) => new TextDecoder(label, options).decode(bytes(...values));
const tryName = (run) => {
  try {
    return run();
  } catch (error) {
    return error.name;
  }
};
const urls = [
  'http://user:pa%20ss@EXAMPLE.com:80/a/../b?x=1&y#h', 'https://exämple.org/ä?ö#ü', 'file:///C:/a b', 'http://[::1]:3000/',
  'mailto:a@b.c', 'data:text/plain,x', 'http://192.168.0.257', 'http://a b', '//x', 'http://0x7f.1/', 'HTTP://A//b//', 'javascript:1',
];
const paths = ['', '/', 'a', '/a/b.txt', './a/../b/', 'a//b/.c', '..', 'C:\\x\\y.z', '.bashrc', 'a.b.c'];

const cases = {
  ...Object.fromEntries(urls.map((text) => [`URL ${text}`, () => new URL(text)])),
  ...Object.fromEntries(paths.map((text) => [`path ${text}`, () => [path.normalize(text), path.dirname(text), path.basename(text), path.extname(text), path.isAbsolute(text), path.parse(text), path.win32.parse(text)]])),
  ...Object.fromEntries(urls.map((text) => [`legacy ${text}`, () => url.format(url.parse(text))])),
  'URL relative': () => ['../x', '?q', '#h', '//h/p', '', 'a:b', '/\\x'].map((text) => new URL(text, 'http://a/b/c/d?e#f').href),
  'URL setters': () => {
    const all = [];
    const changes = { protocol: 'https', host: 'h:81', hostname: 'b', port: '99', pathname: '/ü x', search: 'a=b c', hash: 'z', username: 'ü', password: ':' };
    for (const [name, value] of Object.entries(changes)) {
      const item = new URL('http://u:p@a:1/p?q#h');
      item[name] = value;
      all.push(item.href);
    }
    return all;
  },
  'URL ignored setters': () => {
    const item = new URL('http://a/');
    item.port = '99999';
    item.protocol = 'foo';
    item.hostname = '';
    return item.href;
  },
  'URL href setter': () => (new URL('http://a').href = 'nonsense'),
  'URL set nonsense': () => {
    new URL('http://a').href = 'nonsense';
  },
  'URL searchParams live': () => {
    const item = new URL('http://a/?x=1');
    const { searchParams } = item;
    searchParams.append('y', 'ä &');
    item.search = '?z=2';
    searchParams.sort();
    return [item.href, [...searchParams], searchParams === item.searchParams];
  },
  'URL json': () => JSON.stringify({ at: new URL('http://a/b') }),
  'URL canParse': () => [URL.canParse('x'), URL.canParse('x', 'http://a'), URL.canParse('http://a')],
  'params of text': () => [...new URLSearchParams('?a=1&b=%20+%zz&&c&=d&a=ä')],
  'params of pairs': () => `${new URLSearchParams([['a', 'b c'], ['~', "*-._!'()"]])}`,
  'params of object': () => `${new URLSearchParams({ a: 1, b: undefined, c: null })}`,
  'params of bad pairs': () => new URLSearchParams([['a']]),
  'params methods': () => {
    const params = new URLSearchParams('a=1&b=2&a=3');
    params.set('a', '9');
    params.delete('b');
    params.append('c', '');
    return [params.get('a'), params.get('x'), params.has('c'), params.has('a', '1'), params.size, [...params.keys()], params];
  },
  'params missing': () => new URLSearchParams().append('a'),
  'file URLs': () => [url.pathToFileURL('/a b/#?%ä').href, url.fileURLToPath('file:///a%20b/%C3%A4'), url.pathToFileURL('/d/').href],
  'file URL wrong': () => url.fileURLToPath('http://a'),
  'file URL host': () => url.fileURLToPath('file://host/a'),
  'url.parse': () => ({ ...url.parse('http://user:pass@sub.host.com:8080/p/a/t/h?query=string#hash') }),
  'url.parse query': () => ({ ...url.parse('/a?b=c&d', true).query }),
  'url.resolve': () => [url.resolve('/one/two/three', 'four'), url.resolve('http://example.com/one', '/two'), url.resolve('http://a/b/c', '../d')],
  'url.format': () => [url.format({ protocol: 'https', hostname: 'a.b', port: 1, pathname: 'p', query: { x: [1, 2] } }), url.format(new URL('http://u:p@a/?b#c'), { auth: false, fragment: false, search: false })],
  'decode utf-8': () => [decode('utf-8', [0xef, 0xbb, 0xbf, 97]), decode('utf-8', [0xef, 0xbb, 0xbf, 97], { ignoreBOM: true }), decode('utf8', [97, 0xff, 0xe2, 0x82, 98])],
  'decode fatal': () => decode('utf-8', [0xff], { fatal: true }),
  'decode cut fatal': () => decode('utf-8', [0xe2, 0x82], { fatal: true }),
  'decode utf-16le': () => decode('utf-16le', [97, 0, 0x3d, 0xd8, 0, 0xde, 1]),
  'decode latin1': () => [decode('latin1', [0xe4, 0xff]), new TextDecoder('latin1').encoding, new TextDecoder('ascii').encoding],
  'decode stream': () => {
    const decoder = new TextDecoder();
    return [decoder.decode(bytes(0xe2, 0x82), { stream: true }), decoder.decode(bytes(0xac), { stream: true }), decoder.decode(bytes(0xf0)), decoder.decode(bytes(97))];
  },
  'decode unknown': () => new TextDecoder('nope'),
  'decode wrong input': () => new TextDecoder().decode('x'),
  'decoder': () => new TextDecoder(),
  'encode': () => [new TextEncoder().encode('a€😀\ud800'), new TextEncoder().encode(), new TextEncoder().encodeInto('a€b', new Uint8Array(4))],
  'atob btoa': () => [btoa('hé'), atob('aGk='), atob(' aGk ')],
  'atob wrong': () => tryName(() => atob('a')),
  'btoa wrong': () => tryName(() => btoa('€')),
  'headers': () => [...new Headers([['B', ' 2 '], ['a', '1'], ['b', '3'], ['set-cookie', 'x'], ['set-cookie', 'y']])],
  'headers wrong name': () => new Headers({ 'a b': 1 }),
  'headers wrong value': () => new Headers({ a: 'x\ny' }),
  'headers not latin1': () => new Headers({ a: '€' }),
  'headers printed': () => new Headers({ 'X-A': '1', b: '2' }),
  'response status': () => new Response('', { status: 199 }),
  'response null body': () => new Response('x', { status: 204 }),
  'response printed': () => Response.redirect('http://a/'),
  'request GET body': () => new Request('http://a', { body: 'x' }),
  'request printed': () => new Request('http://a', { method: 'patch' }),
  'request credentials': () => new Request('http://u:p@a/'),
  'request stream': () => new Request('http://a', { method: 'POST', body: new ReadableStream() }),
  'json of undefined': () => Response.json(undefined),
  'form': () => {
    const form = new FormData();
    form.append('a', 1);
    form.append('a', 'x');
    form.set('b', new Blob(['y']));
    form.delete('none');
    return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : [value.name, value.size]]);
  },
  'clone function': () => structuredClone(() => 1),
  'clone symbol': () => structuredClone({ a: Symbol('x') }),
  'clone values': () => structuredClone([1n, new Date(0), /x/g, new Map([[{}, new Set([1])]]), new Uint8Array(2), new Error('e').message, Object(1), [, 1], NaN, -0, undefined, null]),
  'abort signal': () => [new AbortController().signal, AbortSignal.abort('r')],
  'throwIfAborted': () => AbortSignal.abort().throwIfAborted(),
  'event': () => [new Event('x').type, new CustomEvent('y', { detail: 1 }).detail, new Event('z').eventPhase, new Event('x').cancelable],
  'event missing type': () => new Event(),
  'dom exception': () => new DOMException('m', 'AbortError').code,
  'getRandomValues wrong': () => globalThis.crypto.getRandomValues(new Float64Array(1)),
  'getRandomValues much': () => globalThis.crypto.getRandomValues(new Uint8Array(65537)),
  'subtle digest': async () => Buffer.from(await globalThis.crypto.subtle.digest('SHA-256', bytes(97))).toString('hex'),
  'subtle wrong': () => globalThis.crypto.subtle.digest('nope', bytes()),
  ...Object.fromEntries(['md5', 'sha1', 'sha224', 'sha256', 'SHA384', 'sha512'].map((name) => [`hash ${name}`, () => [crypto.createHash(name).update('ab').update(bytes(99)).digest('hex'), crypto.createHmac(name, 'key').update('data').digest('base64')]])),
  'hash encodings': () => ['hex', 'base64', 'base64url', undefined].map((encoding) => crypto.createHash('md5').update('616263', 'hex').digest(encoding)),
  'hash copy': () => {
    const hash = crypto.createHash('sha1').update('a');
    const copy = hash.copy();
    return [hash.update('b').digest('hex'), copy.digest('hex')];
  },
  'hash twice': () => {
    const hash = crypto.createHash('sha1');
    hash.digest();
    return hash.digest();
  },
  'hash unknown': () => crypto.createHash('nope'),
  'hash wrong data': () => crypto.createHash('md5').update(1),
  'hmac long key': () => crypto.createHmac('sha256', 'k'.repeat(200)).update('x').digest('hex'),
  'timingSafeEqual': () => [crypto.timingSafeEqual(bytes(1), bytes(1)), crypto.timingSafeEqual(bytes(1), bytes(2))],
  'timingSafeEqual length': () => crypto.timingSafeEqual(bytes(1), bytes(1, 2)),
  'randomInt wrong': () => crypto.randomInt(5, 5),
  'buffer from': () => [Buffer.from('héllo'), Buffer.from('aGk', 'base64'), Buffer.from('_-8', 'base64url'), Buffer.from('6869', 'hex'), Buffer.from([1, 256, -1]), Buffer.from('ä', 'latin1')],
  'buffer to': () => ['utf8', 'hex', 'base64', 'base64url', 'latin1', 'ascii', 'utf16le', 'binary'].map((encoding) => Buffer.from('hé?>~€').toString(encoding)),
  'buffer methods': () => [Buffer.concat([Buffer.from('a'), Buffer.alloc(2, 'xy')]), Buffer.byteLength('€'), Buffer.compare(Buffer.from('a'), Buffer.from('b')), Buffer.from('abc').subarray(1), Buffer.from('abcabc').indexOf('ca'), Buffer.from('abc').equals(Buffer.from('abc')), JSON.stringify(Buffer.from('a')), Buffer.isBuffer(bytes()), Buffer.isEncoding('base64url')],
  'buffer numbers': () => {
    const buffer = Buffer.alloc(12);
    buffer.writeUInt32BE(0xdeadbeef, 0);
    buffer.writeDoubleLE(1.5, 4);
    return [buffer, buffer.readInt16LE(0), buffer.readDoubleLE(4), buffer.readUInt8(3)];
  },
  'buffer wrong': () => Buffer.from(1),
  'buffer wrong encoding': () => Buffer.from('a', 'nope'),
  'string decoder': () => {
    const decoder = new StringDecoder('utf8');
    return [decoder.write(Buffer.from([0xe2, 0x82])), decoder.write(Buffer.from([0xac])), decoder.write(Buffer.from([0xe2])), decoder.end()];
  },
  'querystring': () => [querystring.stringify({ a: ['1', '2'], b: 'ä &', c: true, d: null, e: '' }), { ...querystring.parse('a=1&a=2&b=%C3%A4+x&c&=d&e=%zz') }, querystring.escape("a b!'()*~"), querystring.unescape('%41%zz')],
  'querystring separators': () => [querystring.stringify({ a: 1, b: 2 }, ';', ':'), { ...querystring.parse('a:1;b:2', ';', ':') }],
  'path functions': () => [path.join('/a', '..', 'b', './c'), path.resolve('/a', 'b', '../c'), path.relative('/a/b/c', '/a/d'), path.format({ dir: '/x', name: 'y', ext: '.z' }), path.sep, path.delimiter, path.win32.join('a', '..', '..', 'b'), path.win32.relative('C:\\a\\b', 'C:\\a\\c'), path.posix === path],
  'path wrong': () => path.join('a', 1),
  'basename suffix': () => [path.basename('/a/b.txt', '.txt'), path.basename('b.txt', 'b.txt')],
  'util format': () => [util.format('%s %d %i %j %o %%', 'a', 1.5, '42.9', { a: 1 }, [1]), util.format('a', { b: 1 }, 2n), util.format('%s', null, undefined)],
  'util inspect': () => util.inspect({ a: { b: { c: { d: 1 } } }, list: Array(3), map: new Map([[1, { x: 2 }]]), f() {}, [Symbol('s')]: 1 }, { depth: 1 }),
  'util isDeepStrictEqual': () => [
    [{ a: 1 }, { a: 1 }], [[1, 2], [1, 2]], [{ a: 1 }, { a: '1' }], [new Set([{ a: 1 }]), new Set([{ a: 1 }])], [new Map([[{}, 1]]), new Map([[{}, 1]])],
    [NaN, NaN], [0, -0], [new Date(0), new Date(0)], [/a/g, /a/i], [[, 1], [undefined, 1]], [new Error('a'), new Error('b')], [Object(1), Object(2)], [bytes(1), Buffer.from([1])],
  ].map(([a, b]) => util.isDeepStrictEqual(a, b)),
  'util types': () => [util.types.isDate(new Date()), util.types.isRegExp(/a/), util.types.isMap(new Map()), util.types.isPromise(Promise.resolve()), util.types.isTypedArray(bytes()), util.types.isUint8Array(Buffer.alloc(1)), util.types.isAsyncFunction(async () => {}), util.types.isNativeError(new TypeError()), util.types.isBoxedPrimitive(Object(1n)), util.types.isDate({}), util.types.isGeneratorFunction(function* () {})],
  'util inherits': () => {
    function A() {}
    function B() {}
    util.inherits(A, B);
    return [new A() instanceof B, A.super_ === B];
  },
  'util promisify wrong': () => util.promisify(1),
  'util parseArgs': () => util.parseArgs({ args: ['-f', '--bar', 'b', 'pos'], options: { foo: { type: 'boolean', short: 'f' }, bar: { type: 'string' } }, allowPositionals: true }),
  'util parseArgs wrong': () => util.parseArgs({ args: ['--nope'], options: {} }),
  'util styleText': () => [util.styleText('red', 'x'), util.stripVTControlCharacters('\u001b[31mx\u001b[39m')],
  'util callbackify': () => new Promise((resolve) => util.callbackify(async (a) => a + 1)(1, (error, value) => resolve([error, value]))),
  'util toUSVString': () => util.toUSVString('a\ud800'),
  'events': () => {
    const emitter = new EventEmitter();
    const seen = [];
    emitter.on('a', (...values) => seen.push(['on', ...values]));
    emitter.prependOnceListener('a', (...values) => seen.push(['once', ...values]));
    return [emitter.emit('a', 1), emitter.emit('a', 2), emitter.emit('b'), seen, emitter.listenerCount('a'), emitter.eventNames(), EventEmitter.defaultMaxListeners];
  },
  'events error': () => new EventEmitter().emit('error', new RangeError('bad')),
  'events wrong': () => new EventEmitter().on('x', 1),
  'streams printed': () => [new ReadableStream(), new ReadableStream({ type: 'bytes' }), new WritableStream(), new Response('x').body],
  'web classes printed': () => [new Blob(['a']), new FormData(), new TextEncoder(), new AbortController(), new EventTarget(), new URLSearchParams(), new Headers(), new Response('x')],
  'more classes': () => [StringDecoder, assert.AssertionError, crypto.Hash, DOMException, ReadableStream, Event, Request].map((item) => item.name),
  'classes': () => [URL, Headers, Response, AbortSignal, Blob, EventTarget, FormData, TextDecoder, Buffer.name, EventEmitter.name].map((item) => item.name ?? item),
  'tags': () => [new URL('a:b'), new Headers(), new Blob([]), new AbortController(), new Event('x'), new FormData(), globalThis.crypto, new ReadableStream()].map((item) => Object.prototype.toString.call(item)),
  'prototypes': () => [new File([], 'x') instanceof Blob, new CustomEvent('x') instanceof Event, AbortSignal.abort() instanceof EventTarget, Buffer.alloc(1) instanceof Uint8Array],
  'illegal constructors': () => new AbortSignal(),
  'buffer ranges': () => [Buffer.from('abcdef').toString('hex', 1, 3), Buffer.from('abc').toString('utf8', -2, 2), Buffer.from('abc').slice(-2).toString(), Buffer.from('xyz').fill('ab').toString(), Buffer.from('abc').includes('c'), [...Buffer.from('ab').entries()], Buffer.alloc(3).write('héé')],
  'buffer concat': () => Buffer.concat([Buffer.from('ab'), Buffer.from('cd')], 3).toString(),
  'buffer search': () => [Buffer.from('aXbX').lastIndexOf('X'), Buffer.from('abc').indexOf(98), Buffer.from('ab').swap16().toString()],
  'response json error': () => new Response('{bad').json().catch((error) => error.name),
  'response twice': async () => {
    const response = new Response('x');
    await response.text();
    return response.text();
  },
  'response no form': () => new Response('x').formData(),
  'response url-safe': async () => [await new Response(new URLSearchParams('a=1')).text(), (await new Response('ab').arrayBuffer()).byteLength, await new Response(null).text()],
  'headers iteration': () => {
    const headers = new Headers({ a: '1' });
    headers.append('A', '2');
    headers.delete('none');
    return [headers.get('a'), headers.has('B'), [...headers.keys()], [...headers.values()]];
  },
  'events order': () => {
    const emitter = new EventEmitter();
    const seen = [];
    emitter.once('newListener', (name) => seen.push(name));
    const listener = () => seen.push('x');
    emitter.on('x', listener).off('x', listener);
    return [seen, emitter.emit('x'), emitter.listenerCount('x'), emitter.rawListeners('x')];
  },
  'events error text': () => new EventEmitter().emit('error', 'text'),
  'util deprecate': () => util.deprecate((a) => a * 2, 'old')(2),
  'util inspect errors': () => util.inspect(new TypeError('x')).split('\n')[0],
  'timers': async () => [await util.promisify(setTimeout)(1, 'v'), typeof setTimeout(() => {}, 0).unref],
  'assert ok': () => assert(0, 'zero'),
  'assert equal': () => assert.equal(1, 2),
  'assert deepEqual': () => assert.deepEqual({ a: 1 }, { a: '1' }),
  'assert throws': () => assert.throws(() => {}),
  'assert match': () => assert.match('abc', /x/),
};

async function printed(run) {
  try {
    return util.inspect(await run(), { depth: 4 });
  } catch (error) {
    const code = typeof error.code === 'string' ? ` [${error.code}]` : '';
    return `throws ${error.name}${code}: ${error.message}`;
  }
}

const results = {};
for (const [name, run] of Object.entries(cases)) results[name] = await printed(run);
const file = new URL('expressions.expected.json', import.meta.url);
const inNode = process.release?.name === 'node' && process.versions?.v8 !== undefined;
if (inNode) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
const expected = JSON.parse(readFileSync(file, 'utf8'));

export default Object.keys({ ...expected, ...results })
  .filter((name) => results[name] !== expected[name])
  .map((name) => `${name}:\n  got      ${results[name]}\n  expected ${expected[name]}`);
