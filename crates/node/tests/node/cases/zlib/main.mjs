// Packing and unpacking: in one call, by callback, as streams; levels, flushes, dictionaries, errors.
import zlib from 'node:zlib';
import { promisify } from 'node:util';
import { pipeline } from 'node:stream/promises';
import { Readable, PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { once } from 'node:events';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const fails = (run) => {
  try {
    return run() ?? 'fine';
  } catch (error) {
    return [error.name, error.code, error.errno, error.message];
  }
};
const words = 'The same words again. '.repeat(300) + 'ünïcode ✓';
for (const name of ['gzip', 'deflate', 'deflateRaw', 'brotliCompress']) {
  const back = { gzip: 'gunzip', deflate: 'inflate', deflateRaw: 'inflateRaw', brotliCompress: 'brotliDecompress' }[name];
  const packed = zlib[`${name}Sync`](words);
  show(name, [Buffer.isBuffer(packed), packed.length < 300, zlib[`${back}Sync`](packed).toString() === words, (await promisify(zlib[back])(await promisify(zlib[name])(words))).toString() === words]);
}
show('short', ['gzip', 'deflate', 'deflateRaw'].map((name) => zlib[`${name}Sync`]('hello').toString('hex')));
show('levels', [0, 1, 6, 9].map((level) => zlib.inflateSync(zlib.deflateSync(words, { level })).length));
show('unzip', [zlib.unzipSync(zlib.gzipSync('a')).toString(), zlib.unzipSync(zlib.deflateSync('b')).toString()]);
show('inputs', [zlib.gunzipSync(zlib.gzipSync(new Uint16Array([1, 2]))).toString('hex'), zlib.gunzipSync(zlib.gzipSync(new Uint8Array([1, 2]).buffer)).toString('hex'), zlib.gunzipSync(zlib.gzipSync('')).length]);
show('members', [zlib.gunzipSync(Buffer.concat([zlib.gzipSync('one,'), zlib.gzipSync('two')])).toString(), zlib.gunzipSync(Buffer.concat([zlib.gzipSync('one'), Buffer.alloc(9)])).toString(), fails(() => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('one'), Buffer.from('junk')]))), zlib.inflateSync(Buffer.concat([zlib.deflateSync('one'), Buffer.from('junk')])).toString()]);
const packed = zlib.gzipSync(words);
const broken = Buffer.from(packed);
broken[broken.length - 6] ^= 0xff;
show('errors', [
  fails(() => zlib.gunzipSync('plain text')),
  fails(() => zlib.inflateSync('plain text')),
  fails(() => zlib.inflateRawSync(Buffer.from([0xff, 0xff]))),
  fails(() => zlib.gunzipSync(packed.subarray(0, 30))),
  fails(() => zlib.gunzipSync(broken)),
  fails(() => zlib.unzipSync('')),
  fails(() => zlib.gunzipSync(5)),
  fails(() => zlib.gzipSync()),
  fails(() => zlib.gzipSync('x', { level: 10 })),
  fails(() => zlib.gzipSync('x', { level: 'high' })),
  fails(() => zlib.createGzip({ chunkSize: 1 })),
  fails(() => zlib.gunzipSync(packed, { maxOutputLength: 100 })),
  fails(() => zlib.brotliDecompressSync(zlib.brotliCompressSync(words).subarray(0, 20))),
  fails(() => zlib.gzip('x')),
]);
show('partial', zlib.gunzipSync(packed.subarray(0, 40), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).length > 0);
show('garbage', fails(() => zlib.brotliDecompressSync(Buffer.from('garbage')))[3]);
const dictionary = Buffer.from('words that are known already');
const short = zlib.deflateSync('words already known', { dictionary });
show('dictionary', [short.length < zlib.deflateSync('words already known').length, zlib.inflateSync(short, { dictionary }).toString(), fails(() => zlib.inflateSync(short)), fails(() => zlib.inflateSync(short, { dictionary: Buffer.from('other') }))]);
show('brotli', [0, 5, 11].map((quality) => zlib.brotliDecompressSync(zlib.brotliCompressSync(words, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: quality, [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT } })).length));
show('crc32', [zlib.crc32('hello'), zlib.crc32(Buffer.from('lo'), zlib.crc32('hel')), zlib.crc32('')]);

show('streams', [await text(Readable.from(['a', 'b']).pipe(zlib.createDeflate()).pipe(zlib.createInflate())), await text(Readable.from(['raw']).pipe(zlib.createDeflateRaw()).pipe(zlib.createInflateRaw())), await text(Readable.from([words]).pipe(zlib.createBrotliCompress()).pipe(zlib.createBrotliDecompress())) === words]);
show('byte by byte', await text(Readable.from(Array.from(packed, (byte) => Buffer.from([byte]))).pipe(zlib.createUnzip())) === words);
show('chunks', await (async () => {
  const sizes = [];
  for await (const chunk of Readable.from([zlib.gzipSync(Buffer.alloc(100000))]).pipe(zlib.createGunzip())) sizes.push(chunk.length);
  return sizes;
})());
show('error', await pipeline(Readable.from([Buffer.from('garbage')]), zlib.createGunzip(), new PassThrough().resume()).catch((error) => [error.code, error.errno, error.message]));
show('cut off', await pipeline(Readable.from([packed.subarray(0, 50)]), zlib.createGunzip(), new PassThrough().resume()).catch((error) => [error.code, error.errno, error.message]));
const gzip = zlib.createGzip({ level: 9 });
const seen = new PassThrough();
gzip.pipe(zlib.createGunzip()).pipe(seen);
gzip.write('flushed early');
gzip.flush(() => show('flushed', true));
show('flush', String((await once(seen, 'data'))[0]));
gzip.end();
await once(seen.resume(), 'end');
show('counts', [gzip.bytesWritten, gzip instanceof zlib.Gzip, gzip.constructor.name, zlib.Gzip() instanceof zlib.Gzip]);
const all = await buffer(Readable.from([words]).pipe(zlib.createGzip()));
show('same as sync', all.equals(packed));
const early = zlib.createGunzip();
early.close();
await once(early, 'close');
show('closed', early.destroyed);

const web = async (stream, bytes) => buffer(new Blob([bytes]).stream().pipeThrough(stream));
for (const format of ['gzip', 'deflate', 'deflate-raw']) {
  show(format, (await web(new DecompressionStream(format), await web(new CompressionStream(format), words))).toString() === words);
}
show('web errors', [fails(() => new CompressionStream('zip')), await web(new DecompressionStream('gzip'), 'plain').catch((error) => [error.name, error.code])]);
show('constants', [zlib.constants.Z_BEST_SPEED, zlib.codes.Z_BUF_ERROR, zlib.codes['-5'], zlib.Z_SYNC_FLUSH, Object.keys(zlib.constants).length]);
