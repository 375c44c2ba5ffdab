// What scripts do with files, children, streams and servers together.
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
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import zlib from 'node:zlib';
import http from 'node:http';
import net from 'node:net';
import readline from 'node:readline';
import crypto from 'node:crypto';
import { spawn, execFile } from 'node:child_process';
import { Readable, Writable, Transform, PassThrough, pipeline as pcb } from 'node:stream';
import { pipeline, finished } from 'node:stream/promises';
import { text, json, buffer } from 'node:stream/consumers';
import { once, on, EventEmitter } from 'node:events';
fs.writeFileSync('data.txt', Array.from({ length: 1000 }, (_, i) => `row ${i}`).join('\n'));
await t('gz http', async () => {
  const s = http
    .createServer((q, r) => {
      r.setHeader('content-encoding', 'gzip');
      fs.createReadStream('data.txt').pipe(zlib.createGzip()).pipe(r);
    })
    .listen(0);
  await once(s, 'listening');
  const r = await fetch(`http://localhost:${s.address().port}`);
  const tx = await r.text();
  const raw = await new Promise((d) => http.get({ port: s.address().port }, async (m) => d(await buffer(m.pipe(zlib.createGunzip())))));
  s.close();
  s.closeAllConnections();
  return [tx.length, raw.length];
});
await t('csv transform', async () => {
  let n = 0;
  await pipeline(
    fs.createReadStream('data.txt', 'utf8'),
    async function* (src) {
      let rest = '';
      for await (const c of src) {
        const lines = (rest + c).split('\n');
        rest = lines.pop();
        yield* lines;
      }
      if (rest) yield rest;
    },
    async function* (lines) {
      for await (const l of lines) if (l.endsWith('7')) yield l + '\n';
    },
    fs.createWriteStream('out.txt'),
  );
  return fs.readFileSync('out.txt', 'utf8').split('\n').length;
});
await t('hash pipeline', async () => {
  const h = crypto.createHash('sha256').setEncoding('hex');
  await pipeline(fs.createReadStream('data.txt'), h);
  return h.read();
});
await t('encrypt file', async () => {
  const k = crypto.scryptSync('pw', 'salt', 32),
    iv = Buffer.alloc(16, 1);
  await pipeline(fs.createReadStream('data.txt'), crypto.createCipheriv('aes-256-cbc', k, iv), fs.createWriteStream('enc'));
  await pipeline(fs.createReadStream('enc'), crypto.createDecipheriv('aes-256-cbc', k, iv), fs.createWriteStream('dec'));
  return fs.readFileSync('dec').equals(fs.readFileSync('data.txt'));
});
await t('json-rpc net', async () => {
  const s = net
    .createServer((c) => {
      readline.createInterface({ input: c }).on('line', (l) => {
        const m = JSON.parse(l);
        c.write(JSON.stringify({ id: m.id, result: m.params.reduce((a, b) => a + b, 0) }) + '\n');
      });
    })
    .listen(0);
  await once(s, 'listening');
  const c = net.connect(s.address().port);
  const rl = readline.createInterface({ input: c });
  const got = [];
  c.write('{"id":1,"params":[1,2]}\n{"id":2,"par');
  setTimeout(() => c.write('ams":[3]}\n'), 5);
  for await (const l of rl) {
    got.push(JSON.parse(l));
    if (got.length === 2) break;
  }
  c.end();
  s.close();
  await once(s, 'close');
  return got;
});
await t('chat', async () => {
  const all = new Set();
  const s = net
    .createServer((c) => {
      all.add(c);
      c.setEncoding('utf8');
      c.on('data', (d) => {
        for (const o of all) if (o !== c) o.write(d);
      });
      c.on('close', () => all.delete(c));
    })
    .listen(0);
  await once(s, 'listening');
  const a = net.connect(s.address().port),
    b = net.connect(s.address().port);
  await Promise.all([once(a, 'connect'), once(b, 'connect')]);
  await sleep(10);
  a.write('hi b');
  const [d] = await once(b, 'data');
  a.end();
  b.end();
  b.resume();
  a.resume();
  s.close();
  await once(s, 'close');
  return [String(d), all.size];
});
await t('proxy', async () => {
  const t1 = http.createServer((q, r) => r.end(`target ${q.url} ${q.headers['x-via']}`)).listen(0);
  await once(t1, 'listening');
  const p = http
    .createServer((q, r) => {
      const u = http.request({ port: t1.address().port, path: q.url, method: q.method, headers: { ...q.headers, 'x-via': 'p' } }, (m) => {
        r.writeHead(m.statusCode, m.headers);
        m.pipe(r);
      });
      q.pipe(u);
    })
    .listen(0);
  await once(p, 'listening');
  const x = await (await fetch(`http://localhost:${p.address().port}/abc`)).text();
  for (const s of [t1, p]) {
    s.close();
    s.closeAllConnections();
  }
  return x;
});
await t('child pipe', async () => {
  const c = spawn('sort', ['-r']);
  const [, o] = await Promise.all([pipeline(Readable.from(['b\n', 'a\n', 'c\n']), c.stdin), text(c.stdout)]);
  return o;
});
await t('child to file', async () => {
  const fd = await fsp.open('log', 'w');
  const c = spawn('sh', ['-c', 'echo one; echo two >&2'], { stdio: ['ignore', fd.fd, fd.fd] });
  await once(c, 'close');
  await fd.close();
  return fs.readFileSync('log', 'utf8').split('\n').sort();
});
await t('child stream stdio', async () => {
  const w = fs.createWriteStream('log2');
  await once(w, 'open');
  const c = spawn('echo', ['direct'], { stdio: ['ignore', w, 'inherit'] });
  await once(c, 'close');
  w.end();
  return fs.readFileSync('log2', 'utf8');
});
await t('events.on', async () => {
  const e = new EventEmitter();
  setTimeout(() => {
    e.emit('x', 1);
    e.emit('x', 2);
    e.emit('end');
  });
  const o = [];
  for await (const [v] of on(e, 'x', { close: ['end'] })) o.push(v);
  return o;
});
await t('upload', async () => {
  const s = http
    .createServer(async (q, r) => {
      const h = crypto.createHash('md5');
      let n = 0;
      for await (const c of q) {
        n += c.length;
        h.update(c);
      }
      r.end(JSON.stringify([n, h.digest('hex')]));
    })
    .listen(0);
  await once(s, 'listening');
  const r = http.request({ port: s.address().port, method: 'POST', headers: { 'content-length': fs.statSync('data.txt').size } });
  const p = once(r, 'response');
  fs.createReadStream('data.txt').pipe(r);
  const [m] = await p;
  const x = await json(m);
  s.close();
  s.closeAllConnections();
  return x;
});
await t('range', async () => {
  const s = http
    .createServer((q, r) => {
      const [, a, b] = /bytes=(\d+)-(\d+)/.exec(q.headers.range);
      r.writeHead(206, { 'content-range': `bytes ${a}-${b}/9999` });
      fs.createReadStream('data.txt', { start: +a, end: +b }).pipe(r);
    })
    .listen(0);
  await once(s, 'listening');
  const r = await fetch(`http://localhost:${s.address().port}`, { headers: { Range: 'bytes=4-8' } });
  const x = [r.status, r.headers.get('content-range'), await r.text()];
  s.close();
  s.closeAllConnections();
  return x;
});
await t('retry', async () => {
  let n = 0;
  const s = http
    .createServer((q, r) => {
      if (++n < 3) {
        r.statusCode = 503;
        r.setHeader('retry-after', '0');
        r.end();
      } else r.end('finally');
    })
    .listen(0);
  await once(s, 'listening');
  let r;
  do {
    r = await fetch(`http://localhost:${s.address().port}`);
    if (!r.ok) await r.body?.cancel();
  } while (!r.ok);
  const x = [await r.text(), n];
  s.close();
  s.closeAllConnections();
  return x;
});
await t('web compress', async () => {
  const z = Readable.toWeb(fs.createReadStream('data.txt')).pipeThrough(new CompressionStream('gzip'));
  return zlib.gunzipSync(await buffer(Readable.fromWeb(z))).length;
});
await t('throttle', async () => {
  const o = [];
  await pipeline(
    Readable.from([1, 2, 3]),
    new Transform({
      objectMode: true,
      transform(c, e, d) {
        setTimeout(d, 1, null, c * 2);
      },
    }),
    new Writable({
      objectMode: true,
      write(c, e, d) {
        o.push(c);
        d();
      },
    }),
  );
  return o;
});
await t('tail', async () => {
  fs.writeFileSync('tail', 'a\n');
  let pos = 0;
  const seen = [];
  const w = fs.watch('tail', async () => {
    const h = await fsp.open('tail');
    const { size } = await h.stat();
    if (size > pos) {
      const b = Buffer.alloc(size - pos);
      await h.read(b, 0, b.length, pos);
      pos = size;
      seen.push(String(b));
    }
    await h.close();
  });
  await sleep(20);
  fs.appendFileSync('tail', 'b\n');
  for (let i = 0; i < 50 && !seen.length; i++) await sleep(10);
  w.close();
  return seen.join('');
});
await t('atomic', async () => {
  await fsp.writeFile('c.tmp', '{}');
  await fsp.rename('c.tmp', 'c.json');
  return (await fsp.readdir('.')).includes('c.json');
});
await t('lock', async () => {
  const h = await fsp.open('lock', 'wx');
  const e = await fsp.open('lock', 'wx').catch((e) => e.code);
  await h.close();
  return e;
});
await t('head timeout', async () => {
  const s = net.createServer(() => {}).listen(0);
  await once(s, 'listening');
  const e = await fetch(`http://localhost:${s.address().port}`, { signal: AbortSignal.timeout(30) }).catch((e) => [e.name, e.message, e.code]);
  s.close();
  return e;
});
