// Node's streams: reading, writing, transforming, ends, errors, and the ways to and from web streams.
import stream, { addAbortSignal, compose, Duplex, finished, PassThrough, pipeline, Readable, Transform, Writable } from 'node:stream';
import { pipeline as pipe } from 'node:stream/promises';
import * as consumers from 'node:stream/consumers';

const show = (name, ...values) => console.log(name, JSON.stringify(values));
show('defaults', stream.getDefaultHighWaterMark(false), stream.getDefaultHighWaterMark(true), stream === stream.Stream);
show('from', await Readable.from(['a', 'b']).toArray(), await consumers.text(Readable.from(['ä', 'ö'])));

const upper = () => new Transform({ transform(chunk, _encoding, callback) { callback(null, String(chunk).toUpperCase()); } });
const written = [];
const sink = () => new Writable({ write(chunk, _encoding, callback) { written.push(String(chunk)); setImmediate(callback); } });
await pipe(Readable.from(['x', 'y', 'z']), upper(), sink());
show('pipeline', written);
await new Promise((resolve) => pipeline(Readable.from([Buffer.from('q')]), new PassThrough(), sink(), (error) => resolve(show('callback', error ?? null))));
show('pipeline fails', await pipe(Readable.from(['x']), async function* () { throw new RangeError('no'); }, sink()).catch((error) => error.message));

const slow = new Writable({ highWaterMark: 3, write(chunk, _encoding, callback) { setTimeout(callback, 1); } });
show('full', slow.write('ab'), slow.write('cd'), slow.writableLength, slow.writableNeedDrain);
await new Promise((resolve) => slow.once('drain', resolve));
slow.end('e');
await new Promise((resolve) => finished(slow, resolve));
show('finished', slow.writableFinished, slow.destroyed);

const events = [];
const source = new Readable({ read() {} });
for (const name of ['data', 'end', 'close', 'pause', 'resume']) source.on(name, () => events.push(name));
source.push('1');
source.push(null);
await new Promise((resolve) => source.on('close', resolve));
show('events', events);

const controller = new AbortController();
const endless = addAbortSignal(controller.signal, new Readable({ read() { setImmediate(() => this.push('.')); } }));
setTimeout(() => controller.abort(), 5);
try { for await (const _ of endless); } catch (error) { show('aborted', error.name, error.code); }

show('operators', await Readable.from([1, 2, 3, 4]).filter((n) => n % 2 === 0).map(async (n) => n * 10).toArray());
show('compose', await compose(Readable.from(['a', 'b']), upper()).toArray().then((list) => list.map(String)));
const echo = Duplex.from(async function* (input) { for await (const chunk of input) yield `<${chunk}>`; });
echo.end('in');
show('duplex', String((await echo.toArray())[0]));

const web = Readable.toWeb(Readable.from([Buffer.from('web')]));
show('to web', web instanceof ReadableStream, await new Response(web).text());
show('from web', await consumers.text(Readable.fromWeb(new Blob(['blob']).stream())));
const { readable, writable } = new TransformStream();
const node = Writable.fromWeb(writable);
node.end('through');
show('writable from web', await consumers.text(readable).catch((error) => error.message));
show('write after end', await new Promise((resolve) => { const done = sink(); done.on('error', (error) => resolve(error.code)); done.end(); done.write('x'); }));
show('destroyed', await new Promise((resolve) => { const broken = new Readable({ read() {} }); broken.on('error', (error) => resolve(error.message)); broken.destroy(new Error('broke')); }));
