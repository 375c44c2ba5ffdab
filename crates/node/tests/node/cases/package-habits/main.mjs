// What packages do besides the documented interface.
import { Buffer } from 'node:buffer';
import { openSync, mkdirSync, readFileSync, writeSync, closeSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import stream, { PassThrough, Readable } from 'node:stream';
import tls from 'node:tls';
import zlib from 'node:zlib';

// sonic-boom, of pino
const path = join(tmpdir(), `habits-${process.pid}`);
const file = openSync(path, 'w');
console.log(writeSync(file, 'eins\n', 'utf8'), writeSync(file, 'zwei\n', 'utf8'), await promisify(write)(file, 'drei\n', 'utf8'));
closeSync(file);
console.log(readFileSync(path, 'utf8'));

// undici
const reference = new WeakRef({ kept: true });
console.log(reference.deref(), reference);
console.log(typeof performance.markResourceTiming);

// http2-wrapper, of got
console.log(typeof new tls.TLSSocket(new PassThrough())._handle._parentWrap.constructor);

// minizlib, of tar
const gzip = new zlib.Gzip();
const { close } = gzip._handle;
gzip._handle.close = () => {};
gzip.close = () => {};
const packed = gzip._processChunk(Buffer.from('text '.repeat(10)), zlib.constants.Z_FINISH);
console.log(typeof close, zlib.gunzipSync(packed).toString());

// pngjs
const inflate = new zlib.Inflate();
const [whole, target] = [zlib.deflateSync(Buffer.from('0123456789')), Buffer.alloc(16)];
inflate._handle.writeSync(zlib.constants.Z_SYNC_FLUSH, whole, 0, whole.length, target, 0, 16);
console.log(String(target.subarray(0, 10)), inflate._writeState[0], inflate._outOffset, inflate._outBuffer.length);

// immutable, bluebird
class Map {
  has() {}
}
class Set {
  has() {}
}
console.log(inspect(new Map()), inspect(new Set()), inspect(new (class Foo extends globalThis.Map {})([[1, 2]])));
console.log(stream.Stream.name, PassThrough.name, new Readable().constructor.name);

// graceful-fs
const { chdir, cwd } = process;
let keptPath = null;
process.cwd = () => (keptPath ??= cwd.call(process));
process.cwd();
process.chdir = (directory) => {
  keptPath = null;
  chdir.call(process, directory);
};
mkdirSync('inner');
process.chdir('inner');
console.log(process.cwd().endsWith('inner'));
Object.assign(process, { chdir, cwd });
process.chdir('..');
