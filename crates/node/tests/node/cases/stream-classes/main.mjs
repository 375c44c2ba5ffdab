// Streams of one's own, web streams, and the order of events.
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
import { Readable, Writable, Duplex, Transform, PassThrough } from 'node:stream';
import {
  ReadableStream,
  WritableStream,
  TransformStream,
  TextEncoderStream,
  TextDecoderStream,
  CompressionStream,
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
} from 'node:stream/web';
import util from 'node:util';
class Counter extends Readable {
  constructor(o) {
    super({ ...o, objectMode: true });
    this.n = 0;
  }
  _read() {
    this.push(this.n < 3 ? { n: this.n++ } : null);
  }
}
await t('class', async () => {
  const o = [];
  for await (const x of new Counter()) o.push(x);
  return o;
});
class Up extends Transform {
  _transform(c, e, cb) {
    cb(null, c.toString(e === 'buffer' ? 'utf8' : e).toUpperCase());
  }
  _flush(cb) {
    cb(null, '.');
  }
}
await t('class tr', async () => {
  const u = new Up();
  const ev = [];
  for (const n of ['finish', 'end', 'close', 'prefinish']) u.on(n, () => ev.push(n));
  u.write('a');
  u.end('b');
  const s = (await u.toArray()).join('');
  await sleep(1);
  return [s, ev];
});
function Old(o) {
  if (!(this instanceof Old)) return new Old(o);
  Transform.call(this, o);
}
util.inherits(Old, Transform);
Old.prototype._transform = function (c, e, cb) {
  this.push(`[${c}]`);
  cb();
};
await t('old style', async () => {
  const o = Old();
  o.end('z');
  return (await o.toArray()).join('');
});
await t('web reader', async () => {
  const rs = new ReadableStream(
    {
      pull(c) {
        this.i = (this.i ?? 0) + 1;
        if (this.i > 3) c.close();
        else c.enqueue(this.i);
      },
    },
    { highWaterMark: 0 },
  );
  const r = rs.getReader();
  const o = [await r.read(), await r.read()];
  r.releaseLock();
  return [o, rs.locked, (await Array.fromAsync?.(rs).catch(() => 0)) !== 5];
});
await t('web bytes', async () => {
  const rs = new ReadableStream({
    type: 'bytes',
    start(c) {
      c.enqueue(new Uint8Array([1, 2, 3, 4]));
      c.close();
    },
  });
  const r = rs.getReader({ mode: 'byob' });
  const a = await r.read(new Uint8Array(2));
  const b = await r.read(new Uint8Array(5));
  return [[...a.value], a.done, [...b.value], b.done];
});
await t('web err', async () => {
  const rs = new ReadableStream({
    start(c) {
      c.error(new Error('w'));
    },
  });
  await rs.getReader().read();
});
await t('web cancel', async () => {
  let why;
  const rs = new ReadableStream({
    cancel(r) {
      why = r;
    },
  });
  await rs.cancel('reason');
  return why;
});
await t('web from', async () => {
  const o = [];
  for await (const x of ReadableStream.from(['a', 'b'])) o.push(x);
  return o;
});
await t('tee', async () => {
  const [a, b] = new ReadableStream({
    start(c) {
      c.enqueue('x');
      c.close();
    },
  }).tee();
  const r = [];
  for await (const x of a) r.push(x);
  for await (const x of b) r.push(x);
  return r;
});
await t('strategies', () => [
  new CountQueuingStrategy({ highWaterMark: 2 }).size(),
  new ByteLengthQueuingStrategy({ highWaterMark: 2 }).size(new Uint8Array(5)),
]);
await t('pipeTo abort', async () => {
  const ac = new AbortController();
  const rs = new ReadableStream({
    pull(c) {
      c.enqueue(1);
      return sleep(1);
    },
  });
  setTimeout(() => ac.abort(), 10);
  await rs.pipeTo(new WritableStream(), { signal: ac.signal });
});
await t('pipeTo prevent', async () => {
  const ws = new WritableStream();
  await new ReadableStream({
    start(c) {
      c.close();
    },
  }).pipeTo(ws, { preventClose: true });
  return ws.locked;
});
await t('ws desired', async () => {
  const ws = new WritableStream({ write: () => sleep(1) }, { highWaterMark: 2 });
  const w = ws.getWriter();
  const a = w.desiredSize;
  w.write(1);
  w.write(2);
  const b = w.desiredSize;
  await w.ready;
  await w.close();
  return [a, b, w.desiredSize];
});
await t('enc', async () => {
  const o = [];
  for await (const c of ReadableStream.from(['ü', '€']).pipeThrough(new TextEncoderStream())) o.push([...c]);
  return o;
});
await t('events order', async () => {
  const ev = [];
  const r = new Readable({ read() {} });
  const w = new Writable({
    write(c, e, d) {
      ev.push(`w${c}`);
      setImmediate(d);
    },
  });
  for (const n of ['pause', 'resume', 'end', 'close', 'data']) r.on(n, () => ev.push(`r:${n}`));
  for (const n of ['finish', 'close', 'pipe', 'unpipe']) w.on(n, () => ev.push(`W:${n}`));
  r.pipe(w);
  r.push('1');
  r.push('2');
  r.push(null);
  await sleep(20);
  return ev;
});
await t('paused', async () => {
  const r = Readable.from(['a', 'b', 'c']);
  r.pause();
  const got = [];
  r.on('data', (c) => {
    got.push(c);
    r.pause();
    setTimeout(() => r.resume(), 2);
  });
  r.resume();
  await new Promise((d) => r.on('end', d));
  return got;
});
await t('readable ev', async () => {
  const r = new Readable({ highWaterMark: 4, read() {} });
  const got = [];
  r.on('readable', () => {
    let c;
    while ((c = r.read(3))) got.push(String(c));
  });
  r.push('abcdefgh');
  r.push(null);
  await new Promise((d) => r.on('end', d));
  return got;
});
await t('async write', async () => {
  const o = [];
  const w = new Writable({
    objectMode: true,
    async write(c, e, d) {
      await sleep(1);
      o.push(c);
      d();
    },
  });
  for (let i = 0; i < 4; i++) w.write(i);
  w.end();
  await new Promise((d) => w.on('finish', d));
  return o;
});
await t('multi cb', async () => {
  const w = new Writable({
    write(c, e, d) {
      d();
      d();
    },
  });
  const p = new Promise((d) => w.on('error', d));
  w.write('x');
  return err(await p);
});
await t('pipe two', async () => {
  const s = new PassThrough(),
    a = new PassThrough(),
    b = new PassThrough();
  s.pipe(a);
  s.pipe(b);
  s.end('both');
  return [String((await a.toArray())[0]), String((await b.toArray())[0])];
});
await t('slow dest', async () => {
  let max = 0;
  const r = new Readable({
    highWaterMark: 2,
    objectMode: true,
    read() {
      this.i = (this.i ?? 0) + 1;
      this.push(this.i > 20 ? null : this.i);
    },
  });
  const w = new Writable({
    objectMode: true,
    highWaterMark: 2,
    write(c, e, d) {
      max = Math.max(max, r.i - c);
      setImmediate(d);
    },
  });
  r.pipe(w);
  await new Promise((d) => w.on('finish', d));
  return max < 8;
});
await t('Symbol.asyncDispose', () => [typeof Readable.prototype[Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]]);
await t('static', () => [
  Readable.name,
  Writable.name,
  Duplex.name,
  Transform.name,
  PassThrough.name,
  new PassThrough() instanceof Writable,
  new PassThrough() instanceof Readable,
  Readable.length,
]);
