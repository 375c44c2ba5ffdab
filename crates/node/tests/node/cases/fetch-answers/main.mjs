// fetch and a server: packed answers, redirects, bodies, aborting, failures.
const show = (name, value) =>
  console.log(JSON.stringify({ [name]: value }, (k, v) => (typeof v === 'bigint' ? `${v}n` : v === undefined ? '__undef' : v)));
const err = (e) => [e.name, e.code, e.errno, e.syscall, e.path?.replace?.(process.cwd(), 'CWD'), e.dest, e.message.replaceAll(process.cwd(), 'CWD')];
const t = async (name, fn) => {
  try {
    show(name, await fn());
  } catch (e) {
    show(name + ' !', err(e));
  }
};
const sleep = (ms) => new Promise((d) => setTimeout(d, ms));
import http from 'node:http';
import zlib from 'node:zlib';
import { once } from 'node:events';
const s = http.createServer(async (q, r) => {
  const u = new URL(q.url, 'http://x');
  const chunks = [];
  for await (const c of q) chunks.push(c);
  const body = Buffer.concat(chunks);
  switch (u.pathname) {
    case '/json':
      r.setHeader('content-type', 'application/json');
      return r.end('{"a":1}');
    case '/echo':
      r.setHeader('x-m', q.method);
      return r.end(
        JSON.stringify({
          m: q.method,
          h: Object.fromEntries(Object.entries(q.headers).filter(([k]) => k !== 'host')),
          b: body.toString('latin1').replace(/-{4,}[\w-]+/g, 'BOUND'),
        }).replace(/boundary=[^"]*/, 'boundary=B'),
      );
    case '/redir':
      r.writeHead(+u.searchParams.get('s') || 302, { location: u.searchParams.get('to') ?? '/json' });
      return r.end();
    case '/gzip':
      r.setHeader('content-encoding', 'gzip');
      return r.end(zlib.gzipSync('zipped'));
    case '/br':
      r.setHeader('content-encoding', 'br');
      return r.end(zlib.brotliCompressSync('brotlied'));
    case '/deflate':
      r.setHeader('content-encoding', 'deflate');
      return r.end(zlib.deflateSync('deflated'));
    case '/cookies':
      r.setHeader('set-cookie', ['a=1', 'b=2']);
      return r.end();
    case '/slow':
      setTimeout(() => r.end('slow'), 500);
      return;
    case '/half':
      r.writeHead(200, { 'content-length': 10 });
      r.write('abc');
      setTimeout(() => r.destroy(), 10);
      return;
    case '/status':
      r.statusCode = +u.searchParams.get('c');
      r.statusMessage = 'Custom';
      return r.end();
    case '/destroy':
      q.socket.destroy();
      return;
    default:
      r.statusCode = 404;
      r.end('nope');
  }
});
s.listen(0, '127.0.0.1');
await once(s, 'listening');
const base = `http://127.0.0.1:${s.address().port}`;
const clean = (x) =>
  String(x)
    .replaceAll(base, 'BASE')
    .replace(/:\d{4,5}/g, ':P');
const fe = (e) => [
  e.name,
  clean(e.message),
  e.code,
  e.cause?.name,
  e.cause?.code,
  e.cause && clean(e.cause.message),
  e.cause?.errno,
  e.cause?.syscall,
];
const f = async (n, fn) => {
  try {
    show(n, await fn());
  } catch (e) {
    show(n + ' !', fe(e));
  }
};
await f('json', async () => {
  const r = await fetch(base + '/json');
  return [r.status, r.ok, r.statusText, r.type, clean(r.url), r.redirected, r.headers.get('content-type'), r.bodyUsed, await r.json(), r.bodyUsed];
});
await f('head', async () => {
  const r = await fetch(base + '/echo', { method: 'HEAD' });
  return [r.headers.get('x-m'), await r.text(), r.body];
});
await f('redirect', async () => {
  const r = await fetch(base + '/redir');
  return [r.redirected, clean(r.url), r.status];
});
await f('redirect manual', async () => {
  const r = await fetch(base + '/redir', { redirect: 'manual' });
  return [r.status, r.type, r.headers.get('location'), r.redirected];
});
await f('redirect error', async () => {
  await fetch(base + '/redir', { redirect: 'error' });
});
await f('redirect post', async () => {
  const o = [];
  for (const c of [301, 302, 303, 307, 308]) {
    const r = await fetch(base + `/redir?s=${c}&to=/echo`, { method: 'POST', body: 'keep' });
    const j = await r.json();
    o.push([c, j.m, j.b]);
  }
  return o;
});
await f('redirect loop', async () => {
  await fetch(base + '/redir?to=/redir%3Fto%3D/redir');
  await fetch(`${base}/redir?to=${encodeURIComponent('/redir?to=')}`);
});
await f('encodings', async () => {
  const o = [];
  for (const p of ['gzip', 'br', 'deflate']) {
    const r = await fetch(`${base}/${p}`);
    o.push([await r.text(), r.headers.get('content-encoding')]);
  }
  return o;
});
await f('cookies', async () => {
  const r = await fetch(base + '/cookies');
  return [r.headers.getSetCookie(), r.headers.get('set-cookie')];
});
await f('abort', async () => {
  const ac = new AbortController();
  setTimeout(() => ac.abort(), 20);
  await fetch(base + '/slow', { signal: ac.signal });
});
await f('abort reason', async () => {
  const ac = new AbortController();
  ac.abort(new Error('mine'));
  await fetch(base + '/slow', { signal: ac.signal });
});
await f('timeout', async () => {
  await fetch(base + '/slow', { signal: AbortSignal.timeout(20) });
});
await f('half', async () => {
  const r = await fetch(base + '/half');
  await r.text();
});
await f('destroyed', async () => {
  await fetch(base + '/destroy');
});
await f('refused', async () => {
  await fetch('http://127.0.0.1:1/');
});
await f('dns', async () => {
  try {
    await fetch('http://no-such-host.invalid/');
  } catch (e) {
    return [e.message, e.cause.code === 'ENOTFOUND' || e.cause.code === 'EAI_AGAIN', e.cause.syscall, e.cause.hostname];
  }
});
await f('bad url', async () => {
  await fetch('nope');
});
await f('bad url2', async () => {
  await fetch('/relative');
});
await f('bad proto', async () => {
  await fetch('ftp://x.test/');
});
await f('bad method', async () => {
  await fetch(base, { method: 'B D' });
});
await f('trace', async () => {
  await fetch(base, { method: 'TRACE' });
});
await f('get body', async () => {
  await fetch(base, { body: 'x' });
});
await f('bad header', async () => {
  await fetch(base, { headers: { 'a b': 'c' } });
});
await f('creds', async () => {
  await fetch(base.replace('//', '//u:p@'));
});
await f('data url', async () => {
  const r = await fetch('data:text/plain;base64,aGk=');
  return [await r.text(), r.headers.get('content-type'), r.status];
});
await f('404', async () => {
  const r = await fetch(base + '/zzz');
  return [r.ok, r.status, r.statusText, await r.text()];
});
await f('statusText', async () => {
  const r = await fetch(base + '/status?c=418');
  return [r.status, r.statusText];
});
await f('twice', async () => {
  const r = await fetch(base + '/json');
  await r.text();
  await r.json();
});
await f('clone', async () => {
  const r = await fetch(base + '/json');
  const c = r.clone();
  return [await r.text(), await c.json()];
});
await f('request', async () => {
  const q = new Request(base + '/echo', { method: 'POST', body: 'r', headers: { a: 'b' } });
  const j = await (await fetch(q)).json();
  return [j.m, j.b, j.h.a, q.bodyUsed];
});
await f('request2', async () => {
  const q = new Request(base + '/echo', { method: 'POST', body: 'r' });
  const j = await (await fetch(q, { headers: { z: '1' } })).json();
  return [j.m, j.b, j.h.z];
});
await f('stream up', async () => {
  const j = await (
    await fetch(base + '/echo', {
      method: 'POST',
      duplex: 'half',
      body: (async function* () {
        yield 'a';
        yield Buffer.from('b');
      })(),
    })
  ).json();
  return [j.b, j.h['transfer-encoding']];
});
await f('no duplex', async () => {
  await fetch(base + '/echo', { method: 'POST', body: new ReadableStream() });
});
await f('headers', () => {
  const h = new Headers([
    ['B', '2'],
    ['a', '1'],
    ['a', '3'],
  ]);
  h.append('c', ' x ');
  return [[...h], h.get('A'), h.has('zz'), h.get('zz')];
});
await f('response', async () => [
  await Response.json({ a: 1 }).text(),
  Response.error().type,
  Response.redirect('http://x.test/', 301).headers.get('location'),
  new Response('x', { status: 201 }).status,
  (await new Response(new FormData()).formData()).constructor.name,
]);
await f('bytes', async () => {
  const r = await fetch(base + '/json');
  return [(await r.clone().arrayBuffer()).byteLength, (await r.clone().blob()).type, typeof r.bytes];
});
await f('formData', async () => {
  const fd = new FormData();
  fd.append('f', new File(['abc'], 'x.txt'));
  const back = await new Response(fd).formData();
  const x = back.get('f');
  return [x.name, await x.text(), x.type];
});
await f('keepalive par', async () => (await Promise.all(Array.from({ length: 20 }, () => fetch(base + '/json').then((r) => r.json())))).length);
s.closeAllConnections();
s.close();
