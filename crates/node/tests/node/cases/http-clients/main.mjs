// Requests and servers: bodies, headers, connections, protocols, failures.
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
import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
const up = async (fn, opts) => {
  const s = http.createServer(opts ?? {}, fn);
  s.listen(0, '127.0.0.1');
  await once(s, 'listening');
  s.p = s.address().port;
  return s;
};
const down = async (s) => {
  s.closeAllConnections();
  s.close();
  await once(s, 'close').catch(() => {});
};
const req = (s, o = {}, body) =>
  new Promise((d, n) => {
    const r = http.request({ host: '127.0.0.1', port: s.p, ...o }, async (res) => {
      try {
        const tx = await text(res);
        d({
          st: res.statusCode,
          sm: res.statusMessage,
          h: Object.fromEntries(Object.entries(res.headers).filter(([k]) => !['date', 'host'].includes(k))),
          t: tx,
          tr: res.trailers,
          c: res.complete,
          v: res.httpVersion,
        });
      } catch (e) {
        n(e);
      }
    });
    r.on('error', n);
    r.end(body);
  });
await t('basic', async () => {
  const s = await up((q, r) => r.end('ok'));
  const x = await req(s);
  await down(s);
  return x;
});
await t('chunked', async () => {
  const s = await up((q, r) => {
    r.write('a');
    r.write('b');
    r.end('c');
  });
  const x = await req(s);
  await down(s);
  return x;
});
await t('headers', async () => {
  const s = await up((q, r) => {
    r.writeHead(202, 'Fine', { 'X-A': 'b', 'Set-Cookie': ['a=1', 'b=2'], 'X-Num': 5 });
    r.end(JSON.stringify(Object.fromEntries(Object.entries(q.headers).filter(([k]) => k !== 'host'))));
  });
  const x = await req(s, { method: 'POST', headers: { 'X-Q': ['1', '2'], Cookie: ['a=b', 'c=d'], 'Content-Type': 'text/x' } }, 'body');
  await down(s);
  return x;
});
await t('writeHead array', async () => {
  const s = await up((q, r) => {
    r.writeHead(200, ['X-A', '1', 'X-B', '2']);
    r.end();
  });
  const x = await req(s);
  await down(s);
  return x.h;
});
await t('raw', async () => {
  const s = await up((q, r) => {
    r.setHeader('Foo-Bar', 'x');
    r.end(JSON.stringify(q.rawHeaders.filter((h, i, a) => !/host/i.test(i % 2 ? a[i - 1] : h))));
  });
  const x = await req(s, { headers: { 'X-CaSe': '1' } });
  await down(s);
  return x.t;
});
await t('trailers', async () => {
  const s = await up((q, r) => {
    r.writeHead(200, { Trailer: 'X-T' });
    r.write('x');
    r.addTrailers({ 'X-T': 'v' });
    r.end();
  });
  const x = await req(s);
  await down(s);
  return [x.tr, x.t];
});
await t('req trailers', async () => {
  const s = await up(async (q, r) => {
    await text(q);
    r.end(JSON.stringify(q.trailers));
  });
  const x = await new Promise((d) => {
    const r = http.request({ host: '127.0.0.1', port: s.p, method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } }, async (res) =>
      d(await text(res)),
    );
    r.write('a');
    r.addTrailers({ 'x-end': '1' });
    r.end();
  });
  await down(s);
  return x;
});
await t('204/304', async () => {
  const s = await up((q, r) => {
    r.statusCode = +q.url.slice(1);
    r.end('ignored');
  });
  const x = [await req(s, { path: '/204' }), await req(s, { path: '/304' })];
  await down(s);
  return x;
});
await t('head', async () => {
  const s = await up((q, r) => {
    r.setHeader('Content-Length', 10);
    r.end('0123456789');
  });
  const x = await req(s, { method: 'HEAD' });
  await down(s);
  return x;
});
await t('keepalive', async () => {
  let n = 0;
  const s = await up((q, r) => r.end(String(q.socket.remotePort)));
  s.on('connection', () => n++);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const a = await Promise.all([req(s, { agent }), req(s, { agent }), req(s, { agent })]);
  agent.destroy();
  await down(s);
  return [n, new Set(a.map((x) => x.t)).size, a[0].h];
});
await t('agent false', async () => {
  const s = await up((q, r) => r.end(q.headers.connection));
  const x = await req(s, { agent: false });
  await down(s);
  return [x.t, x.h];
});
await t('upgrade', async () => {
  const s = await up(() => {});
  s.on('upgrade', (q, sock, head) => {
    sock.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n');
    sock.on('data', (d) => sock.end(`echo:${d}`));
  });
  const x = await new Promise((d) => {
    const r = http.request({ host: '127.0.0.1', port: s.p, headers: { Connection: 'Upgrade', Upgrade: 'echo' } });
    r.on('upgrade', async (res, sock, head) => {
      sock.write('hi');
      d([res.statusCode, res.headers.upgrade, await text(sock)]);
    });
    r.end();
  });
  await down(s);
  return x;
});
await t('connect', async () => {
  const s = await up(() => {});
  s.on('connect', (q, sock) => {
    sock.write('HTTP/1.1 200 OK\r\n\r\n');
    sock.end(`to ${q.url}`);
  });
  const x = await new Promise((d) => {
    const r = http.request({ host: '127.0.0.1', port: s.p, method: 'CONNECT', path: 'x.test:443' });
    r.on('connect', async (res, sock) => d([res.statusCode, await text(sock)]));
    r.end();
  });
  await down(s);
  return x;
});
await t('100', async () => {
  const ev = [];
  const s = await up((q, r) => r.end('plain'));
  s.on('checkContinue', async (q, r) => {
    ev.push('cc');
    r.writeContinue();
    r.end(await text(q));
  });
  const x = await new Promise((d) => {
    const r = http.request({ host: '127.0.0.1', port: s.p, method: 'PUT', headers: { Expect: '100-continue' } }, async (res) => d(await text(res)));
    r.on('continue', () => {
      ev.push('cont');
      r.end('later');
    });
    r.flushHeaders();
  });
  await down(s);
  return [x, ev];
});
await t('early hints', async () => {
  const s = await up((q, r) => {
    r.writeEarlyHints({ link: '</a.css>; rel=preload' });
    r.writeProcessing();
    r.end('x');
  });
  const inf = [];
  await new Promise((d) => {
    const r = http.get({ host: '127.0.0.1', port: s.p }, (res) => {
      res.resume();
      res.on('end', d);
    });
    r.on('information', (i) => inf.push([i.statusCode, i.headers]));
  });
  await down(s);
  return inf;
});
await t('timeout', async () => {
  const s = await up(() => {});
  const x = await new Promise((d) => {
    const r = http.get({ host: '127.0.0.1', port: s.p, timeout: 30 });
    r.on('timeout', () => r.destroy(new Error('slow')));
    r.on('error', (e) => d([e.message, r.destroyed, r.reusedSocket]));
  });
  await down(s);
  return x;
});
await t('abort signal', async () => {
  const s = await up(() => {});
  const ac = new AbortController();
  const x = await new Promise((d) => {
    const r = http.get({ host: '127.0.0.1', port: s.p, signal: ac.signal });
    r.on('error', (e) => d(err(e)));
    setTimeout(() => ac.abort(), 20);
  });
  await down(s);
  return x;
});
await t('destroy', async () => {
  const s = await up(() => {});
  const x = await new Promise((d) => {
    const r = http.get({ host: '127.0.0.1', port: s.p });
    r.on('error', (e) => d(err(e)));
    setTimeout(() => r.destroy(), 20);
  });
  await down(s);
  return x;
});
await t('server hangup', async () => {
  const s = await up((q, r) => q.socket.destroy());
  const x = await req(s).catch(err);
  await down(s);
  return x;
});
await t('aborted body', async () => {
  const s = await up((q, r) => {
    r.writeHead(200, { 'content-length': 100 });
    r.write('part');
    setTimeout(() => r.destroy(), 10);
  });
  const x = await req(s).catch(err);
  await down(s);
  return x;
});
await t('refused', async () => {
  const s = await up(() => {});
  await down(s);
  return req(s).catch((e) => [e.name, e.code, e.errno, e.syscall, e.address, e.port === s.p, e.message.replace(s.p, 'P')]);
});
await t('bad proto', () => http.get('https://x.test/'));
await t('bad url', () => http.get('nope'));
await t('bad path', () => http.get({ path: '/a b' }));
await t('bad method', () => http.request({ method: 'BAD METHOD' }));
await t('bad header', () => http.request({ headers: { 'x-a': 'b\n' } }));
await t('undef header', () => http.request({ headers: { 'x-a': undefined } }));
await t('setHeader after', async () => {
  const s = await up((q, r) => {
    r.writeHead(200);
    r.write('x');
    try {
      r.setHeader('a', 'b');
    } catch (e) {
      r.end(JSON.stringify(err(e)));
    }
  });
  const x = await req(s);
  await down(s);
  return x.t;
});
await t('write after end', async () => {
  let e1;
  const s = await up((q, r) => {
    r.end('x');
    r.on('error', (e) => (e1 = err(e)));
    r.write('more');
  });
  await req(s);
  await sleep(10);
  await down(s);
  return e1;
});
await t('bad status', async () => {
  const s = await up((q, r) => {
    try {
      r.writeHead(9999);
    } catch (e) {
      r.end(JSON.stringify(err(e)));
    }
  });
  const x = await req(s);
  await down(s);
  return x.t;
});
await t('clientError', async () => {
  const s = await up((q, r) => r.end());
  const ev = [];
  s.on('clientError', (e, sock) => {
    ev.push(e.code);
    sock.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  const c = net.connect(s.p, '127.0.0.1');
  c.write('GARBAGE\r\n\r\n');
  const x = await text(c);
  await down(s);
  return [x, ev];
});
await t('raw bad', async () => {
  const s = await up((q, r) => r.end());
  const c = net.connect(s.p, '127.0.0.1');
  c.write('GARBAGE\r\n\r\n');
  const x = await text(c);
  await down(s);
  return x;
});
await t('raw ok', async () => {
  const s = await up((q, r) => r.end(`${q.method} ${q.url} ${q.httpVersion} ${q.headers.a}`));
  const c = net.connect(s.p, '127.0.0.1');
  c.write('GET /x?y=1 HTTP/1.0\r\nA: b\r\n\r\n');
  const x = (await text(c)).replace(/Date: .*\r\n/, '');
  await down(s);
  return x;
});
await t('raw keep', async () => {
  const s = await up((q, r) => r.end('z'));
  const c = net.connect(s.p, '127.0.0.1');
  c.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [d] = await once(c, 'data');
  c.destroy();
  await down(s);
  return String(d).replace(/Date: .*\r\n/, '');
});
await t('no host', async () => {
  const s = await up((q, r) => r.end('z'));
  const c = net.connect(s.p, '127.0.0.1');
  c.write('GET / HTTP/1.1\r\n\r\n');
  const x = await text(c);
  await down(s);
  return x.replace(/Date: .*\r\n/, '');
});
await t('pipe', async () => {
  const s = await up((q, r) => q.pipe(r));
  const x = await new Promise((d) => {
    const r = http.request({ host: '127.0.0.1', port: s.p, method: 'POST' }, async (res) => d(await text(res)));
    Readable.from(['1', '2', '3']).pipe(r);
  });
  await down(s);
  return x;
});
await t('big', async () => {
  const s = await up(async (q, r) => {
    let n = 0;
    for await (const c of q) n += c.length;
    r.end(Buffer.alloc(1e6, n % 7));
  });
  const x = await req(s, { method: 'POST' }, Buffer.alloc(2e6));
  await down(s);
  return x.t.length;
});
await t('res props', async () => {
  let p;
  const s = await up((q, r) => {
    p = [
      r.headersSent,
      r.finished,
      r.writableEnded,
      r.statusCode,
      r.sendDate,
      r.req === q,
      q.complete,
      r.chunkedEncoding,
      r.shouldKeepAlive,
      r.useChunkedEncodingByDefault,
      typeof r.socket,
      q.httpVersionMajor,
    ];
    r.setHeaders(new Map([['a', '1']]));
    p.push(r.getHeaders(), r.getHeader('A'), r.getRawHeaderNames?.());
    r.end();
    p.push(r.headersSent, r.writableEnded);
  });
  await req(s);
  await down(s);
  return p;
});
await t('req props', async () => {
  const r = http.request('http://u:p@127.0.0.1:1/x?y', { method: 'put' });
  r.on('error', () => {});
  return [r.method, r.path, r.host, r.protocol, r.getHeaders(), r.aborted, r.destroyed, r.maxHeadersCount];
});
await t('maxHeader', () => [
  http.maxHeaderSize,
  http.globalAgent.keepAlive,
  http.globalAgent.maxSockets,
  http.globalAgent.maxFreeSockets,
  http.globalAgent.protocol,
  http.globalAgent.defaultPort,
  http.globalAgent.options,
]);
await t('server props', () => {
  const s = http.createServer({ keepAliveTimeout: 1000 });
  return [
    s.timeout,
    s.keepAliveTimeout,
    s.headersTimeout,
    s.requestTimeout,
    s.maxHeadersCount,
    s.maxRequestsPerSocket,
    s.listening,
    s instanceof net.Server,
    s.setTimeout(5) === s,
  ];
});
await t('validate', () => {
  http.validateHeaderName('a b');
});
await t('validate2', () => {
  http.validateHeaderValue('x', undefined);
});
await t('agent name', () => [new http.Agent().getName({ host: 'a', port: 1, localAddress: 'b' }), Object.keys(new http.Agent().sockets)]);
await t('unix', async () => {
  const s = http.createServer((q, r) => r.end('via socket'));
  await new Promise((d) => s.listen('./h.sock', d));
  const x = await new Promise((d) => http.get({ socketPath: './h.sock', path: '/' }, async (r) => d(await text(r))));
  await down(s);
  return x;
});
await t('close idle', async () => {
  const s = await up((q, r) => r.end('x'));
  const agent = new http.Agent({ keepAlive: true });
  await req(s, { agent });
  s.close();
  s.closeIdleConnections();
  await once(s, 'close');
  agent.destroy();
  return s.listening;
});
await t('json stream', async () => {
  const s = await up((q, r) => {
    r.writeHead(200, { 'content-type': 'application/x-ndjson' });
    let i = 0;
    const iv = setInterval(() => {
      r.write(JSON.stringify({ i }) + '\n');
      if (++i === 3) {
        clearInterval(iv);
        r.end();
      }
    }, 3);
  });
  const parts = [];
  await new Promise((d) =>
    http.get({ host: '127.0.0.1', port: s.p }, (res) => {
      res.setEncoding('utf8');
      res.on('data', (c) => parts.push(...c.trim().split('\n')));
      res.on('end', d);
    }),
  );
  await down(s);
  return parts;
});
