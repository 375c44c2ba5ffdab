// The store of AsyncLocalStorage comes along through whatever calls back.
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
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { exec, spawn } from 'node:child_process';
import zlib from 'node:zlib';
import crypto from 'node:crypto';
import dns from 'node:dns';
import readline from 'node:readline';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { EventEmitter, once } from 'node:events';
import util from 'node:util';
import timers from 'node:timers/promises';
const als = new AsyncLocalStorage();
const run = (n, fn) =>
  new Promise((d) =>
    als.run(n, () =>
      fn((...a) => {
        show(n, als.getStore());
        d(...a);
      }),
    ),
  );
await run('fs cb', (k) => fs.readFile('/etc/hosts', k));
await run('fs p', (k) => fsp.stat('/').then(k));
await run('fs handle', async (k) => {
  const h = await fsp.open('/etc/hosts');
  await h.read();
  await h.close();
  k();
});
await run('rs', (k) =>
  fs
    .createReadStream('/etc/hosts')
    .on('data', () => {})
    .on('end', k),
);
await run('exec', (k) => exec('true', k));
await run('spawn', (k) => spawn('true').on('close', k));
await run('gzip', (k) => zlib.gzip('x', k));
await run('gz stream', (k) => {
  const g = zlib.createGzip();
  g.on('data', () => {}).on('end', k);
  g.end('x');
});
await run('randomBytes', (k) => crypto.randomBytes(4, k));
await run('pbkdf2', (k) => crypto.pbkdf2('a', 'b', 1, 4, 'sha1', k));
await run('scrypt', (k) => crypto.scrypt('a', 'b', 4, { N: 2 }, k));
await run('subtle', (k) => crypto.subtle.digest('SHA-1', new Uint8Array(1)).then(k));
await run('keypair', (k) => crypto.generateKeyPair('ed25519', {}, k));
await run('dns', (k) => dns.lookup('localhost', k));
await run('pipeline', (k) => pipeline(Readable.from(['a']), new PassThrough().resume(), k));
await run('timers/p', async (k) => {
  await timers.setTimeout(1);
  k();
});
await run('nextTick', (k) => process.nextTick(k));
await run('immediate', (k) => setImmediate(k));
await run('interval', (k) => {
  const i = setInterval(() => {
    clearInterval(i);
    k();
  }, 1);
});
await run('microtask', (k) => queueMicrotask(k));
const s = http.createServer((q, r) => {
  als.run(`req ${q.url}`, async () => {
    await timers.setTimeout(2);
    for await (const c of q);
    r.end(String(als.getStore()));
  });
});
s.listen(0);
await once(s, 'listening');
const port = s.address().port;
await run('http.get', (k) =>
  http.get({ port }, (r) => {
    r.on('data', (d) => show('body', String(d))).on('end', k);
  }),
);
await run('fetch', async (k) => {
  await (await fetch(`http://localhost:${port}/f`)).text();
  k();
});
show('par', await Promise.all(['a', 'b', 'c'].map(async (p) => (await fetch(`http://localhost:${port}/${p}`)).text())));
s.close();
s.closeAllConnections();
const e = net.createServer((c) => c.pipe(c));
e.listen(0);
await once(e, 'listening');
await run('net', (k) => {
  const c = net.connect(e.address().port, () => {
    show('conn', als.getStore());
    c.end('x');
  });
  c.on('data', () => {}).on('close', k);
});
e.close();
await run('readline', (k) => {
  const i = new PassThrough();
  const rl = readline.createInterface({ input: i });
  rl.on('line', () => {
    rl.close();
    k();
  });
  i.write('a\n');
});
await run('promisify', async (k) => {
  await util.promisify(exec)('true');
  k();
});
await run('once', async (k) => {
  const em = new EventEmitter();
  setTimeout(() => em.emit('x'), 1);
  await once(em, 'x');
  k();
});
await run('EventTarget', (k) => {
  const et = new EventTarget();
  et.addEventListener('a', k);
  et.dispatchEvent(new Event('a'));
});
await run('abort', (k) => {
  const ac = new AbortController();
  ac.signal.addEventListener('abort', () => k());
  setTimeout(() => ac.abort(), 1);
});
await run('watch', (k) => {
  fs.writeFileSync('wf', '');
  const w = fs.watch('wf', () => {
    w.close();
    k();
  });
  setTimeout(() => fs.writeFileSync('wf', 'x'), 20);
});
await run('web stream', async (k) => {
  await new Response(
    new ReadableStream({
      async start(c) {
        await timers.setTimeout(1);
        c.enqueue(new Uint8Array(1));
        c.close();
      },
    }),
  ).text();
  k();
});
const res = als.run('res', () => new AsyncResource('X'));
show(
  'resource',
  res.runInAsyncScope(() => als.getStore()),
);
show('bind', als.run('b', () => AsyncResource.bind(() => als.getStore()))());
show(
  'snapshot',
  als.run('s', () => AsyncLocalStorage.snapshot())(() => als.getStore()),
);
als.enterWith('ew');
await null;
show('enterWith', als.getStore());
show(
  'exit',
  als.exit(() => als.getStore()),
);
als.disable();
show('disabled', als.getStore());
