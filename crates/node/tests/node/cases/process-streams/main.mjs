// Standard output as the stream it is.
import { once } from 'node:events';
import { Readable, Stream, Writable, finished } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tty from 'node:tty';

const { stdout, stderr, stdin } = process;
const show = (name, ...values) => console.log(name, ...values);
show('kind', stdout instanceof Writable, stdout instanceof Stream, stdin instanceof Readable);
show('fields', stdout.fd, stderr.fd, stdin.fd, stdout.isTTY, stdout.columns, stdout.hasColors, stdout.getWindowSize, stdout.writable, stdout.writableLength, stdout.writableHighWaterMark);
show('tty', tty.isatty(1), tty.isatty(0), tty.isatty(99), tty.isatty('x'));
stdout.write(Buffer.from([0xc3]));
stdout.write(Buffer.from([0xa4, 10]));
stdout.write('c3bc0a', 'hex');
stdout.write(new Uint8Array([65, 10]));
const order = [];
stdout.write('with callback\n', () => order.push('callback'));
stdout.write('with encoding\n', 'utf8', (error) => order.push(error ?? 'no error'));
order.push('sync');
await new Promise((done) => stdout.write('', done));
show('order', order);
show('full', stdout.write('x'.repeat(20000) + '\n'), stdout.writableNeedDrain);
for (const wrong of [5, null, undefined, {}, true]) {
  try {
    stdout.write(wrong);
  } catch (error) {
    show('wrong', error.name, error.code);
  }
}
stdout.cork();
stdout.write('corked ');
stdout.write('together\n');
stdout.uncork();
await pipeline(Readable.from(['piped ', 'in\n']), stdout, { end: false });
const source = Readable.from(['by ', 'pipe\n']);
source.pipe(stdout);
await once(source, 'end');
await new Promise((done) => setTimeout(done, 5));
const original = stdout.write;
let caught = '';
stdout.write = (chunk) => ((caught += chunk), true);
console.log('not through');
stdout.write('caught');
stdout.write = original;
show('patched', caught.endsWith('caught'));
stdout.once('finish', () => stderr.write('finish\n'));
await pipeline(Readable.from(['last pipeline\n']), stdout);
stderr.end('end of stderr\n');
finished(stderr, () => {});
stderr.write('and more\n');
