// Files by number: open, read, write, stat, times, errors.
import fs from 'node:fs';
import { promisify } from 'node:util';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const fails = (run) => {
  try {
    return run() ?? 'fine';
  } catch (error) {
    return { name: error.name, message: error.message, code: error.code, errno: error.errno, syscall: error.syscall, path: error.path, dest: error.dest };
  }
};

const fd = fs.openSync('a.txt', 'w+');
show('number', fd > 2);
show('write', [fs.writeSync(fd, 'hello '), fs.writeSync(fd, Buffer.from('xxworld'), 2), fs.writeSync(fd, 'J', 0), fs.writeSync(fd, Buffer.from('abc'), 1, 1, 1)]);
const buffer = Buffer.alloc(20, '.');
show('read', [fs.readSync(fd, buffer, 0, 5, 0), fs.readSync(fd, buffer, { offset: 10, position: 6, length: 3 }), fs.readSync(fd, buffer, 0, 5), buffer.toString()]);
show('vectors', [fs.writevSync(fd, [Buffer.from('1'), Buffer.from('23')], 0), fs.readvSync(fd, [buffer.subarray(0, 2), buffer.subarray(2, 4)], 0), buffer.toString()]);
fs.ftruncateSync(fd, 4);
fs.fsyncSync(fd);
fs.fdatasyncSync(fd);
fs.futimesSync(fd, 10, new Date(20500));
fs.fchmodSync(fd, 0o600);
const stats = fs.fstatSync(fd);
show('stat', [stats.size, stats.atimeMs, stats.mtime, (stats.mode & 0o777).toString(8), stats.isFile()]);
const big = fs.fstatSync(fd, { bigint: true });
show('bigint', [String(big.size), String(big.mtimeNs), String(big.mtimeMs), typeof big.ino]);
fs.closeSync(fd);
show('closed', [fails(() => fs.closeSync(fd)), fails(() => fs.readSync(fd, buffer)), fails(() => fs.fstatSync(fd))]);
show('wrong', [fails(() => fs.closeSync('1')), fails(() => fs.readSync(1.5, buffer)), fails(() => fs.openSync('a.txt', 'q')), fails(() => fs.writeSync(-1, 'x')), fails(() => fs.closeSync())]);
show('open', [fails(() => fs.openSync('none/x', 'r')), fails(() => fs.openSync('a.txt', 'wx')), fails(() => fs.openSync('.', 'w'))]);
const sum = fs.openSync('b.txt', fs.constants.O_CREAT | fs.constants.O_RDWR | fs.constants.O_APPEND, 0o640);
fs.writeFileSync(sum, 'one ');
fs.appendFileSync(sum, 'two');
show('by number', [fs.readFileSync('b.txt', 'utf8'), fs.readFileSync(sum, 'utf8'), (fs.statSync('b.txt').mode & 0o777).toString(8)]);
fs.closeSync(sum);
const half = fs.openSync('b.txt', 'r');
fs.readSync(half, Buffer.alloc(4));
show('the rest', [fs.readFileSync(half, 'utf8'), fails(() => fs.writeSync(half, 'x'))]);
fs.closeSync(half);
fs.writeSync(1, 'straight to the output\n');
fs.writeFileSync(1, 'and this\n');

const opened = await new Promise((done) => fs.open('c.txt', 'w+', (error, number) => done(number)));
const written = await promisify(fs.write)(opened, 'callback');
const read = await promisify(fs.read)(opened, Buffer.alloc(8), 0, 8, 0);
show('promisified', [written.bytesWritten, written.buffer, read.bytesRead, read.buffer.toString()]);
fs.read(opened, { position: 4 }, (error, count, bytes) => {
  show('callback', [error, count, bytes.length, bytes.toString('utf8', 0, count)]);
  fs.close(opened, (problem) => {
    show('close', problem);
    fs.read(opened, Buffer.alloc(1), 0, 1, 0, (again) => show('after', [again.code, again.message]));
  });
});
show('no callback', [fails(() => fs.open('a.txt', 'r')), fails(() => fs.readFile('a.txt'))]);
