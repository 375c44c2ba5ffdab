// Packing and unpacking: every format in every form, options, failures.
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
import zlib from 'node:zlib';
import util from 'node:util';
import { pipeline } from 'node:stream/promises';
import { Readable, PassThrough, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
const data = Buffer.from('hello hello hello world '.repeat(500));
const ez = (e) => [e.name, e.code, e.errno, e.message, Object.keys(e)];
const tz = async (n, f) => {
  try {
    show(n, await f());
  } catch (e) {
    show(n + ' !', ez(e));
  }
};
await tz('consts', () => Object.entries(zlib.constants).sort().join());
await tz('codes', () => Object.entries(zlib.codes).sort().join());
for (const [c, d] of [
  ['gzip', 'gunzip'],
  ['deflate', 'inflate'],
  ['deflateRaw', 'inflateRaw'],
  ['brotliCompress', 'brotliDecompress'],
  ['gzip', 'unzip'],
  ['deflate', 'unzip'],
]) {
  await tz(`${c}/${d} sync`, () => zlib[d + 'Sync'](zlib[c + 'Sync'](data)).equals(data));
  await tz(
    `${c}/${d} cb`,
    () => new Promise((ok, no) => zlib[c](data, (e, r) => (e ? no(e) : zlib[d](r, (e, s) => (e ? no(e) : ok(s.equals(data))))))),
  );
  await tz(`${c}/${d} promise`, async () => (await util.promisify(zlib[d])(await util.promisify(zlib[c])(data))).equals(data));
}
await tz('bad gunzip', () => zlib.gunzipSync('nope'));
await tz('bad inflate', () => zlib.inflateSync(Buffer.from('nope')));
await tz('bad raw', () => zlib.inflateRawSync(Buffer.from([7, 7, 7])));
await tz('bad brotli', () => zlib.brotliDecompressSync(Buffer.from('nope')));
await tz('bad unzip', () => zlib.unzipSync(Buffer.from('nope')));
await tz('trunc gzip', () => zlib.gunzipSync(zlib.gzipSync(data).subarray(0, 30)));
await tz('trunc brotli', () => zlib.brotliDecompressSync(zlib.brotliCompressSync(data).subarray(0, 10)));
await tz('crc', () => {
  const g = zlib.gzipSync('abc');
  g[g.length - 5] ^= 1;
  return zlib.gunzipSync(g);
});
await tz('len', () => {
  const g = zlib.gzipSync('abc');
  g[g.length - 1] ^= 1;
  return zlib.gunzipSync(g);
});
await tz('adler', () => {
  const g = zlib.deflateSync('abc');
  g[g.length - 1] ^= 1;
  return zlib.inflateSync(g);
});
await tz('trunc ok', () => zlib.gunzipSync(zlib.gzipSync('some text here').subarray(0, -8), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString());
await tz('maxOutput', () => zlib.gunzipSync(zlib.gzipSync(data), { maxOutputLength: 100 }));
await tz('maxOutput ok', () => zlib.gunzipSync(zlib.gzipSync('abc'), { maxOutputLength: 100 }).toString());
await tz('level bad', () => zlib.gzipSync('x', { level: 99 }));
await tz('windowBits bad', () => zlib.gzipSync('x', { windowBits: 99 }));
await tz('chunk bad', () => zlib.createGzip({ chunkSize: 1 }));
await tz('input bad', () => zlib.gzipSync(5));
await tz('input none', () => zlib.gzipSync());
await tz('cb bad', () => zlib.gzip('x'));
await tz('dict', () => {
  const dictionary = Buffer.from('hello world');
  const z = zlib.deflateSync('hello world hello', { dictionary });
  return [zlib.inflateSync(z, { dictionary }).toString(), z.length < 17];
});
await tz('dict missing', () => zlib.inflateSync(zlib.deflateSync('hello world hello', { dictionary: Buffer.from('hello') })));
await tz('dict wrong', () =>
  zlib.inflateSync(zlib.deflateSync('hello world hello', { dictionary: Buffer.from('hello') }), { dictionary: Buffer.from('other') }),
);
await tz('info', () => {
  const r = zlib.gunzipSync(zlib.gzipSync('abc'), { info: true });
  return [Object.keys(r), String(r.buffer), r.engine.constructor.name, r.engine.bytesWritten];
});
await tz('brotli params', () => {
  const z = zlib.brotliCompressSync(data, {
    params: {
      [zlib.constants.BROTLI_PARAM_QUALITY]: 4,
      [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: data.length,
    },
  });
  return zlib.brotliDecompressSync(z).equals(data);
});
await tz('brotli bad', () => zlib.createBrotliCompress({ params: { 99999: 4 } }));
await tz('trailing', () => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('abc'), Buffer.from('garbage')])).toString());
await tz('trailing zeros', () => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('abc'), Buffer.alloc(10)])).toString());
await tz('multi', () => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('abc'), zlib.gzipSync('def')])).toString());
await tz('stream', async () => {
  const g = zlib.createGzip({ level: 9, chunkSize: 64 });
  const p = buffer(g);
  for (let i = 0; i < 20; i++) g.write(`line ${i}\n`);
  g.end();
  const b = await p;
  return [zlib.gunzipSync(b).length, g.bytesWritten, g.constructor.name, g._level];
});
await tz('stream err', async () => {
  const g = zlib.createGunzip();
  const p = new Promise((d) => g.on('error', (e) => d(ez(e))));
  g.end('nope');
  return [await p, g.destroyed];
});
await tz('trunc stream', async () => {
  await pipeline(Readable.from([zlib.gzipSync(data).subarray(0, 20)]), zlib.createGunzip(), new PassThrough().resume());
});
await tz('flush', async () => {
  const g = zlib.createDeflate();
  const chunks = [];
  g.on('data', (c) => chunks.push(c));
  g.write('part');
  await new Promise((d) => g.flush(d));
  const n = Buffer.concat(chunks);
  const s = zlib.inflateSync(n, { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString();
  g.end();
  return s;
});
await tz('params', async () => {
  const g = zlib.createDeflate({ level: 1 });
  const p = buffer(g);
  g.write('abc');
  await new Promise((d) => g.params(9, 0, d));
  g.end('def');
  return zlib.inflateSync(await p).toString();
});
await tz('reset', () => {
  const g = zlib.createDeflate();
  g.reset();
  g.close();
  return g.destroyed;
});
await tz('close cb', async () => {
  const g = zlib.createGzip();
  await new Promise((d) => g.close(d));
  return g.destroyed;
});
await tz('write after close', async () => {
  const g = zlib.createGzip();
  g.on('error', () => {});
  g.close();
  return new Promise((d) => g.write('x', (e) => d(e.code)));
});
await tz('new', () => [new zlib.Gzip() instanceof zlib.Gzip, zlib.Gzip().constructor.name, typeof zlib.crc32]);
await tz('arraybuffer', () => zlib.inflateSync(zlib.deflateSync(new Uint16Array([1, 2, 3]).buffer)).length);
await tz('strategy', () => zlib.inflateRawSync(zlib.deflateRawSync(data, { strategy: zlib.constants.Z_HUFFMAN_ONLY, memLevel: 9 })).equals(data));
await tz('web', async () => {
  const s = new Blob(['web streams']).stream().pipeThrough(new CompressionStream('gzip'));
  const b = Buffer.from(await new Response(s).arrayBuffer());
  return [zlib.gunzipSync(b).toString(), await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream('gzip'))).text()];
});
await tz('http enc', async () => {
  const p = new PassThrough();
  const d = zlib.createBrotliDecompress();
  p.pipe(d);
  p.end(zlib.brotliCompressSync(data));
  return (await text(d)).length;
});
