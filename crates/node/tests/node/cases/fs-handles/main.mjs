// `fs.promises.open`, and the rest of `fs.promises`.
import fs from 'node:fs';
import { open, readFile, writeFile, mkdir, stat, lstat, opendir, statfs, access, mkdtemp, symlink, readlink, link, realpath, chmod, utimes, lutimes, truncate, rm, rename, copyFile, unlink, rmdir, appendFile, readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const failure = async (promise) => {
  try {
    return (await promise) ?? 'fine';
  } catch (error) {
    return [error.name, error.code, error.errno, error.syscall, error.path, error.dest, error.message];
  }
};

const file = await open('a.txt', 'w+');
show('handle', [file.fd > 2, file.constructor.name]);
const written = await file.write('first line\nsecond\n');
show('write', [written.bytesWritten, written.buffer, (await file.write(Buffer.from('third'), 0, 5)).bytesWritten]);
const { bytesRead, buffer } = await file.read(Buffer.alloc(5), 0, 5, 6);
show('read', [bytesRead, buffer.toString(), (await file.read({ position: 0, length: 5, buffer: Buffer.alloc(5) })).buffer.toString()]);
show('stat', [(await file.stat()).size, typeof (await file.stat({ bigint: true })).size]);
await file.truncate(18);
await file.sync();
await file.datasync();
await file.utimes(1, 2);
await file.chmod(0o644);
await file.appendFile('appended');
await file.close();
await file.close();
show('closed', [file.fd, await failure(file.read(Buffer.alloc(1))), await failure(file.stat())]);
show('content', await readFile('a.txt', 'utf8'));

const again = await open('a.txt');
show('readFile', await again.readFile('utf8'));
await again.close();
const lines = [];
const lineFile = await open('a.txt');
for await (const chunk of lineFile.createReadStream({ encoding: 'utf8', highWaterMark: 8 })) lines.push(chunk);
show('stream', [lines, lineFile.fd]);
const sink = await open('b.txt', 'w');
await pipeline(['x', 'y'], sink.createWriteStream());
show('sink', [await readFile('b.txt', 'utf8'), sink.fd]);
const web = await open('b.txt');
show('web', await text(web.readableWebStream()));
await web.close();
const vectors = await open('v.txt', 'w+');
show('vectors', [(await vectors.writev([Buffer.from('ab'), Buffer.from('c')])).bytesWritten, (await vectors.readv([Buffer.alloc(2), Buffer.alloc(5)], 0)).bytesRead]);
await vectors.close();

await writeFile('parts.txt', (async function* () { yield 'one '; yield Buffer.from('two'); })());
show('parts', await readFile('parts.txt', 'utf8'));
show('errors', [await failure(open('none.txt')), await failure(readFile('.')), await failure(mkdir('a.txt')), await failure(rename('none', 'there')), await failure(copyFile('none', 'x')), await failure(rmdir('none')), await failure(unlink('.')), await failure(rm('none')), await failure(link('none', 'y')), await failure(readdir('a.txt')), await failure(access('none')), await failure(realpath('none')), await failure(readFile('x', { signal: AbortSignal.abort() })), await failure(open()), await failure(rm('.', {})), await failure(truncate('none')), await failure(symlink('x', 'a.txt'))]);
await mkdir('d/e', { recursive: true });
await symlink('../a.txt', 'd/l');
await utimes('a.txt', 100, 200.5);
await lutimes('d/l', 5, 6);
show('links', [await readlink('d/l'), (await lstat('d/l')).isSymbolicLink(), (await lstat('d/l')).mtimeMs, (await stat('d/l')).mtimeMs, (await realpath('d/l')).endsWith('/a.txt')]);
const names = [];
for await (const entry of await opendir('d')) names.push([entry.name, entry.isDirectory(), entry.isSymbolicLink(), entry.parentPath ?? entry.path]);
show('opendir', names.sort());
const dir = await opendir('d');
show('dir', [dir.path, (await dir.read()) !== null, (await dir.read()) !== null, await dir.read(), await dir.close(), await failure(dir.close())]);
await chmod('a.txt', 0o400);
show('mode', ((await stat('a.txt')).mode & 0o777).toString(8));
show('statfs', Object.keys(await statfs('.')));
show('temporary', [/^t-.{6}$/.test(await mkdtemp('t-')), /^t-.{6}$/.test(fs.mkdtempSync('t-'))]);
show('recursive', (await readdir('.', { recursive: true })).filter((name) => name.startsWith('d')).sort());
show('made', [await mkdir('p/q/r', { recursive: true }), await mkdir('p/q', { recursive: true })]);
show('times', [fs.statSync('a.txt').mtime, fs.statSync('a.txt', { bigint: true }).mtimeNs.toString()]);
