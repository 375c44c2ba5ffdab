// Streams: operators, composition, backpressure, errors, web streams, consumers.
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
import stream, { Readable, Writable, Duplex, Transform, PassThrough, finished, pipeline, addAbortSignal, compose } from 'node:stream';
import * as sp from 'node:stream/promises';
import * as sc from 'node:stream/consumers';
import * as sw from 'node:stream/web';
import { once } from 'node:events';
const sink = () => {
  const w = new Writable({
    objectMode: true,
    write(c, e, d) {
      w.all.push(c);
      d();
    },
  });
  w.all = [];
  return w;
};
const R = (n = 5) => Readable.from(Array.from({ length: n }, (_, i) => i));
await t('map', () =>
  R()
    .map((x) => x * 2)
    .toArray(),
);
await t('map async', () =>
  R()
    .map(
      async (x) => {
        await sleep(5 - x);
        return x;
      },
      { concurrency: 3 },
    )
    .toArray(),
);
await t('filter', () =>
  R()
    .filter((x) => x % 2)
    .toArray(),
);
await t('flatMap', () =>
  R(3)
    .flatMap((x) => [x, x])
    .toArray(),
);
await t('take drop', async () => [await R().take(2).toArray(), await R().drop(3).toArray()]);
await t('some every find', async () => [await R().some((x) => x > 3), await R().every((x) => x > 3), await R().find((x) => x > 1)]);
await t('reduce', async () => [await R().reduce((a, b) => a + b), await R().reduce((a, b) => a + b, 100)]);
await t('reduce empty', () => Readable.from([]).reduce((a, b) => a + b));
await t('forEach', async () => {
  const o = [];
  await R().forEach((x) => {
    o.push(x);
  });
  return o;
});
await t('asIndexedPairs', () => R(2).asIndexedPairs?.().toArray());
await t('iterator', async () => {
  const r = R();
  for await (const x of r.iterator({ destroyOnReturn: false })) {
    if (x === 1) break;
  }
  return [r.destroyed, await r.toArray()];
});
await t('break destroys', async () => {
  const r = R();
  for await (const x of r) break;
  return r.destroyed;
});
await t('map err', () =>
  R()
    .map((x) => {
      if (x === 2) throw new Error('at two');
      return x;
    })
    .toArray(),
);
await t('map signal', async () => {
  const ac = new AbortController();
  const p = R()
    .map(
      async (x, { signal }) => {
        if (x === 1) ac.abort();
        await sleep(3);
        return x;
      },
      { signal: ac.signal },
    )
    .toArray();
  return p;
});
await t('compose', async () => {
  const s = R().compose(async function* (src) {
    for await (const x of src) yield x + 1;
  });
  return s.toArray();
});
await t('compose fn', async () => {
  const d = compose(async function* (s) {
    for await (const c of s) yield String(c).toUpperCase();
  }, new PassThrough());
  d.end('abc');
  return (await d.toArray()).map(String);
});
await t('from string', async () => [
  await Readable.from('abc').toArray(),
  (await Readable.from(Buffer.from('abc')).toArray()).map(String),
  Readable.from(['a']).readableObjectMode,
]);
await t('from bad', () => Readable.from(5));
await t('from promise iter', () =>
  Readable.from(
    (async function* () {
      yield 1;
      throw new Error('gen');
    })(),
  ).toArray(),
);
await t('Duplex.from', async () => {
  const d = Duplex.from(async function* (s) {
    for await (const c of s) yield `<${c}>`;
  });
  d.end('x');
  return (await d.toArray()).map(String);
});
await t('Duplex.from promise', async () => (await Duplex.from(Promise.resolve('v')).toArray()).map(String));
await t('Duplex.from iter', async () => Duplex.from([1, 2]).toArray());
await t('Duplex.from pair', async () => {
  const w = sink();
  const d = Duplex.from({ readable: R(2), writable: w });
  d.end('z');
  const a = await d.toArray();
  return [a, w.all.map(String)];
});
await t('Duplex.from fn sink', async () => {
  let got = '';
  const d = Duplex.from(async (s) => {
    for await (const c of s) got += c;
  });
  d.end('abc');
  await once(d, 'close').catch(() => {});
  return got;
});
await t('backpressure', async () => {
  const w = new Writable({
    highWaterMark: 3,
    write(c, e, d) {
      setTimeout(d, 1);
    },
  });
  const r = [w.write('a'), w.write('b'), w.write('c'), w.writableLength, w.writableNeedDrain, w.writableHighWaterMark];
  await once(w, 'drain');
  return [...r, w.writableLength, w.writableNeedDrain];
});
await t('cork', async () => {
  const got = [];
  const w = new Writable({
    writev(cs, d) {
      got.push(cs.map((c) => [String(c.chunk), c.encoding]));
      d();
    },
  });
  w.cork();
  w.write('a');
  w.write('b');
  const c = w.writableCorked;
  w.uncork();
  w.end('c');
  await sp.finished(w);
  return [c, got];
});
await t('final', async () => {
  const o = [];
  const w = new Writable({
    write(c, e, d) {
      o.push('w');
      d();
    },
    final(d) {
      o.push('f');
      d();
    },
    destroy(e, d) {
      o.push('d');
      d(e);
    },
    construct(d) {
      o.push('c');
      d();
    },
  });
  w.end('x');
  await once(w, 'close');
  return o;
});
await t('transform flush', async () => {
  const tr = new Transform({
    transform(c, e, d) {
      d(null, String(c).toUpperCase());
    },
    flush(d) {
      this.push('!');
      d();
    },
  });
  tr.end('ab');
  return (await tr.toArray()).map(String);
});
await t('write after end', async () => {
  const w = sink();
  w.end();
  const p = once(w, 'error');
  w.write('x');
  return err((await p)[0]);
});
await t('write null', async () => {
  const w = sink();
  w.write(null);
});
await t('not impl', async () => {
  const r = new Readable();
  return err((await Promise.all([once(r, 'error').catch((e) => [e]), r.read()]))[0][0]);
});
await t('w not impl', async () => {
  const w = new Writable();
  const p = once(w, 'error');
  w.write('x');
  return err((await p)[0]);
});
await t('push after eof', async () => {
  const r = new Readable({ read() {} });
  r.push(null);
  const p = once(r, 'error');
  r.push('x');
  return err((await p)[0]);
});
await t('destroyed write', async () => {
  const w = sink();
  w.destroy();
  return new Promise((d) => w.write('x', (e) => d(err(e))));
});
await t('premature', async () => {
  const r = new PassThrough();
  const p = sp.finished(r);
  r.destroy();
  return p;
});
await t('finished opts', async () => {
  const d = new PassThrough();
  d.end('x');
  await sp.finished(d, { readable: false });
  return d.writableFinished;
});
await t(
  'finished cb',
  () =>
    new Promise((d) => {
      const r = R();
      const un = finished(r, (e) => d([e ?? null, typeof un]));
      r.resume();
    }),
);
await t('addAbortSignal', async () => {
  const ac = new AbortController();
  const r = addAbortSignal(ac.signal, new Readable({ read() {} }));
  setTimeout(() => ac.abort(), 5);
  for await (const x of r);
});
await t('signal opt', async () => {
  const ac = new AbortController();
  const w = new Writable({ signal: ac.signal, write() {} });
  const p = once(w, 'error');
  ac.abort();
  return err((await p)[0]);
});
await t('pipe unpipe', async () => {
  const p = new PassThrough(),
    w = sink();
  const ev = [];
  w.on('pipe', () => ev.push('pipe')).on('unpipe', () => ev.push('unpipe'));
  p.pipe(w);
  p.write('a');
  await sleep(2);
  p.unpipe(w);
  p.write('b');
  await sleep(2);
  return [ev, w.all.map(String), p.readableFlowing];
});
await t('read n', async () => {
  const r = Readable.from([Buffer.from('abcdef')], { objectMode: false });
  await once(r, 'readable');
  const a = r.read(2);
  r.unshift(Buffer.from('ZZ'));
  return [String(a), String(r.read(3)), r.readableLength, String(r.read())];
});
await t('setEncoding', async () => {
  const r = new Readable({ read() {} });
  r.setEncoding('utf8');
  const b = Buffer.from('é€');
  for (const x of b) r.push(Buffer.from([x]));
  r.push(null);
  return (await r.toArray()).join('');
});
await t('wrap', async () => {
  const { EventEmitter } = await import('node:events');
  const old = new EventEmitter();
  old.pause = old.resume = () => {};
  const r = new Readable().wrap(old);
  setTimeout(() => {
    old.emit('data', 'x');
    old.emit('end');
  });
  return (await r.toArray()).map(String);
});
await t('toWeb', async () => {
  const w = Readable.toWeb(R(3));
  const o = [];
  for await (const x of w) o.push(x);
  return o;
});
await t('fromWeb', async () =>
  Readable.fromWeb(
    new ReadableStream({
      start(c) {
        c.enqueue('a');
        c.enqueue('b');
        c.close();
      },
    }),
  )
    .toArray()
    .then((a) => a.map(String)),
);
await t('W toWeb', async () => {
  const s = sink();
  const w = Writable.toWeb(s).getWriter();
  await w.write('x');
  await w.close();
  return s.all.map(String);
});
await t('W fromWeb', async () => {
  const o = [];
  const w = Writable.fromWeb(
    new WritableStream({
      write(c) {
        o.push(String(c));
      },
    }),
  );
  w.write('a');
  w.end('b');
  await sp.finished(w);
  return o;
});
await t('D web', async () => {
  const { readable, writable } = Duplex.toWeb(new PassThrough());
  const w = writable.getWriter();
  w.write(Buffer.from('q'));
  w.close();
  return Buffer.from((await readable.getReader().read()).value).toString();
});
await t('D fromWeb', async () => {
  const d = Duplex.fromWeb(
    new TransformStream({
      transform(c, k) {
        k.enqueue(String(c).toUpperCase());
      },
    }),
    { encoding: 'utf8' },
  );
  d.end('low');
  return (await d.toArray()).join('');
});
await t('consumers', async () => [
  await sc.text(Readable.from(['a'])),
  (await sc.buffer(Readable.from(['a', 'b']))).length,
  await sc.json(Readable.from(['{"a":', '1}'])),
  (await sc.arrayBuffer(Readable.from(['abc']))).byteLength,
  (await sc.blob(Readable.from(['abc']))).size,
]);
await t('isX', () => [
  stream.isReadable(R()),
  stream.isErrored(R()),
  stream.isDisturbed(R()),
  Readable.isDisturbed(R()),
  stream.isWritable?.(sink()),
  stream.isDestroyed?.(sink()),
]);
await t('pipeline gen', async () => {
  const o = [];
  await sp.pipeline(
    R(),
    async function* (s, { signal }) {
      for await (const x of s) yield `${x},`;
    },
    new Writable({
      write(c, e, d) {
        o.push(String(c));
        d();
      },
    }),
  );
  return o;
});
await t('pipeline ret', () =>
  sp.pipeline(R(), async (s) => {
    let n = 0;
    for await (const x of s) n += x;
    return n;
  }),
);
await t('pipeline end false', async () => {
  const w = sink();
  await sp.pipeline(R(2), w, { end: false });
  w.end(9);
  await sp.finished(w);
  return w.all;
});
await t('pipeline err', async () => {
  await sp.pipeline(
    R(),
    new Transform({
      objectMode: true,
      transform(c, e, d) {
        d(c === 2 ? new RangeError('two') : null, c);
      },
    }),
    sink(),
  );
});
await t('pipeline web', async () => {
  const o = [];
  await sp.pipeline(
    new ReadableStream({
      start(c) {
        c.enqueue('a');
        c.close();
      },
    }),
    new TransformStream(),
    new WritableStream({
      write(c) {
        o.push(c);
      },
    }),
  );
  return o;
});
await t('errored', async () => {
  const r = new Readable({ read() {} });
  r.on('error', () => {});
  r.destroy(new Error('E'));
  await sleep(1);
  return [r.errored.message, r.closed, r.destroyed, r.readable, r.readableAborted, r.readableDidRead];
});
await t('emitClose', async () => {
  const w = new Writable({
    emitClose: false,
    autoDestroy: false,
    write(c, e, d) {
      d();
    },
  });
  let c = 0;
  w.on('close', () => c++);
  w.end();
  await sp.finished(w);
  await sleep(2);
  return [c, w.destroyed];
});
await t('allowHalfOpen', async () => {
  const d = new Duplex({
    allowHalfOpen: false,
    read() {
      this.push(null);
    },
    write(c, e, k) {
      k();
    },
  });
  d.resume();
  await once(d, 'close');
  return [d.writableEnded, d.readableEnded];
});
await t('default enc', () => {
  const w = new PassThrough();
  w.setDefaultEncoding('hex');
  w.end('4142');
  return String(w.read());
});
await t('bad enc', () => {
  new PassThrough().setDefaultEncoding('nope');
});
await t('opts', () => {
  const d = new PassThrough({ readableHighWaterMark: 5, writableHighWaterMark: 7, decodeStrings: false });
  return [d.readableHighWaterMark, d.writableHighWaterMark];
});
