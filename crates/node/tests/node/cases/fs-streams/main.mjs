// Streams of files: parts, ranges, events, errors.
import fs, { ReadStream, WriteStream } from 'node:fs';
import { once } from 'node:events';
import { pipeline, finished } from 'node:stream/promises';
import { Readable } from 'node:stream';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const fails = (run) => {
  try {
    return run() ?? 'fine';
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const log = (stream, names) => {
  const seen = [];
  for (const name of names) stream.on(name, () => seen.push(name));
  return seen;
};

const out = fs.createWriteStream('a.txt');
const events = log(out, ['open', 'ready', 'finish', 'close', 'drain']);
show('before', [out.pending, out.bytesWritten, out.path, out.fd, out.flags, out instanceof WriteStream, out.writableHighWaterMark]);
for (let i = 0; i < 1000; i++) out.write(`line ${i}\n`);
out.end('last ü');
await once(out, 'close');
show('written', [events, out.bytesWritten, out.pending, out.closed, out.destroyed, fs.statSync('a.txt').size]);

const stream = fs.createReadStream('a.txt', { highWaterMark: 4000 });
const names = log(stream, ['open', 'ready', 'end', 'close', 'pause', 'readable']);
show('reading', [stream.bytesRead, stream.pending, stream instanceof ReadStream, stream.readableHighWaterMark, stream.autoClose]);
const sizes = [];
for await (const chunk of stream) sizes.push(chunk.length);
show('read', [sizes, stream.bytesRead, names.filter((name) => name !== 'readable'), stream.fd]);

const text = async (path, options) => {
  let all = '';
  for await (const chunk of fs.createReadStream(path, options)) all += chunk;
  return all;
};
show('ranges', [await text('a.txt', { start: 5, end: 12 }), await text('a.txt', { end: 3, encoding: 'hex' }), await text('a.txt', { start: fs.statSync('a.txt').size - 3, encoding: 'utf8' }), await text('a.txt', { start: 100000 })]);
show('wrong', [fails(() => fs.createReadStream('a.txt', { start: 5, end: 2 })), fails(() => fs.createReadStream('a.txt', { start: '5' })), fails(() => fs.createReadStream()), fails(() => fs.createWriteStream('x', { start: -1 })), fails(() => fs.createReadStream('a.txt', { encoding: 'none' }))]);

const patch = fs.createWriteStream('a.txt', { flags: 'r+', start: 5 });
patch.end('NINE');
await finished(patch);
await pipeline(Readable.from(['x', 'y']), fs.createWriteStream('a.txt', { flags: 'a' }));
show('patched', [await text('a.txt', { end: 10 }), (await text('a.txt')).slice(-8)]);

const missing = fs.createReadStream('none.txt');
const order = log(missing, ['error', 'close', 'open']);
const gone = new Promise((done) => missing.on('close', done));
const [error] = await once(missing, 'error');
await gone;
show('missing', [error.message, error.code, error.errno, error.syscall, error.path, order, missing.destroyed]);
const folder = await once(fs.createReadStream('.').resume(), 'error');
show('folder', [folder[0].message, folder[0].code, folder[0].syscall]);
const denied = await once(fs.createWriteStream('none/x.txt'), 'error');
show('denied', denied[0].message);

const fd = fs.openSync('a.txt', 'r');
const kept = fs.createReadStream(null, { fd, autoClose: false, end: 3, encoding: 'utf8' });
const parts = [];
kept.on('data', (part) => parts.push(part));
await once(kept, 'end');
show('kept open', [parts, fs.fstatSync(fd).isFile(), kept.destroyed, kept.path]);
fs.closeSync(fd);

const stopped = fs.createReadStream('a.txt', { signal: AbortSignal.abort() });
show('aborted', await once(stopped, 'close').catch((problem) => [problem.name, problem.code]));
const controller = new AbortController();
const slow = fs.createReadStream('a.txt', { signal: controller.signal, highWaterMark: 10 });
show('while reading', await (async () => {
  for await (const chunk of slow) controller.abort();
})().catch((problem) => [problem.name, problem.code, problem.message]));
for await (const chunk of fs.createReadStream('a.txt', { encoding: 'utf8', highWaterMark: 6 })) {
  show('first', chunk);
  break;
}
const early = fs.createReadStream('a.txt');
early.close((problem) => show('closed', problem === undefined || problem === null || problem.code));
await once(early, 'close');
const unwritten = fs.createWriteStream('empty.txt');
await new Promise((done) => unwritten.close(done));
show('nothing', [fs.statSync('empty.txt').size, unwritten.writableEnded]);
const cork = fs.createWriteStream('cork.txt');
cork.cork();
cork.write('a');
cork.write(Buffer.from('b'));
cork.uncork();
cork.end();
await once(cork, 'finish');
show('corked', [fs.readFileSync('cork.txt', 'utf8'), cork.bytesWritten]);
show('plain call', fs.ReadStream('a.txt') instanceof fs.ReadStream);
