// `node:fs` in its three faces, on real files below a temporary directory.
import fs from 'node:fs';
import * as promises from 'fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { equal, failure, failures, ok, test } from './check.mjs';

const directory = process.env.TEST_DIRECTORY;
const at = (...names) => join(directory, ...names);

test('writes, appends and reads in every face', async () => {
  fs.writeFileSync(at('a.txt'), 'säh');
  fs.appendFileSync(at('a.txt'), Buffer.from('!'));
  equal(fs.readFileSync(at('a.txt'), 'utf8'), 'säh!');
  equal(fs.readFileSync(at('a.txt'), { encoding: 'base64' }), 'c8OkaCE=');
  ok(Buffer.isBuffer(fs.readFileSync(at('a.txt'))));
  await promises.writeFile(pathToFileURL(at('b.txt')), new Uint8Array([104, 105]));
  await promises.appendFile(at('b.txt'), '6869', 'hex');
  equal(await promises.readFile(at('b.txt'), 'latin1'), 'hihi');
  const read = promisify(fs.readFile);
  equal(await read(at('b.txt'), 'utf8'), 'hihi');
  equal(await new Promise((resolve) => fs.readFile(at('none'), (error, data) => resolve([error.code, data]))), ['ENOENT', undefined]);
});

test('errors are as Node makes them', async () => {
  const missing = at('missing.txt');
  const check = (error, syscall, dest) => {
    const message = `ENOENT: no such file or directory, ${syscall} '${missing}'${dest ? ` -> '${dest}'` : ''}`;
    equal([error.message, error.code, error.errno, error.syscall, error.path, error.dest], [message, 'ENOENT', -2, syscall, missing, dest]);
    ok(error instanceof Error);
  };
  check(await failure(() => fs.readFileSync(missing)), 'open');
  check(await failure(() => promises.readFile(missing)), 'open');
  check(await failure(() => fs.statSync(missing)), 'stat');
  check(await failure(() => promises.lstat(missing)), 'lstat');
  check(await failure(() => promises.access(missing)), 'access');
  check(await failure(() => fs.readdirSync(missing)), 'scandir');
  check(await failure(() => fs.unlinkSync(missing)), 'unlink');
  check(await failure(() => fs.renameSync(missing, at('x'))), 'rename', at('x'));
  check(await failure(() => promises.copyFile(missing, at('x'))), 'copyfile', at('x'));
  equal((await failure(() => fs.readFileSync(directory))).message, 'EISDIR: illegal operation on a directory, read');
  equal((await failure(() => fs.writeFileSync(directory, ''))).message, `EISDIR: illegal operation on a directory, open '${directory}'`);
  equal((await failure(() => fs.mkdirSync(directory))).message, `EEXIST: file already exists, mkdir '${directory}'`);
});

test('wrong arguments', async () => {
  const error = await failure(() => fs.readFileSync());
  equal(error.code, 'ERR_INVALID_ARG_TYPE');
  equal(error.message, 'The "path" argument must be of type string or an instance of Buffer or URL. Received undefined');
  equal((await failure(() => fs.writeFileSync(at('x'), { a: 1 }))).code, 'ERR_INVALID_ARG_TYPE');
  equal((await failure(() => promises.readFile('a\0b'))).code, 'ERR_INVALID_ARG_VALUE');
  equal((await failure(() => fs.readFile(at('x')))).code, 'ERR_INVALID_ARG_TYPE');
});

test('directories', async () => {
  equal(fs.mkdirSync(at('deep/er/est'), { recursive: true }), at('deep'));
  equal(fs.mkdirSync(at('deep/er'), { recursive: true }), undefined);
  fs.writeFileSync(at('deep/er/f.txt'), '');
  equal(fs.readdirSync(at('deep')), ['er']);
  equal(fs.readdirSync(at('deep'), { recursive: true }), ['er', 'er/est', 'er/f.txt']);
  const entries = await promises.readdir(at('deep/er'), { withFileTypes: true });
  equal(entries.map((entry) => [entry.name, entry.isDirectory(), entry.isFile(), entry.parentPath]), [
    ['est', true, false, at('deep/er')],
    ['f.txt', false, true, at('deep/er')],
  ]);
  equal((await failure(() => fs.rmdirSync(at('deep')))).code, 'ENOTEMPTY');
  equal((await failure(() => fs.rmSync(at('deep')))).code, 'ERR_FS_EISDIR');
  await promises.cp(at('deep'), at('copy'), { recursive: true });
  equal(fs.readdirSync(at('copy'), { recursive: true }), ['er', 'er/est', 'er/f.txt']);
  fs.rmSync(at('deep'), { recursive: true });
  equal(fs.existsSync(at('deep')), false);
  fs.rmSync(at('deep'), { recursive: true, force: true });
  const temporary = await promises.mkdtemp(at('tmp-'));
  ok(/tmp-[A-Za-z0-9]{6}$/.test(temporary) && fs.statSync(temporary).isDirectory());
});

test('what a file is', async () => {
  fs.writeFileSync(at('s.txt'), '12345', { mode: 0o640 });
  const stats = fs.statSync(at('s.txt'));
  equal([stats.size, stats.isFile(), stats.isDirectory(), stats.mode & 0o777], [5, true, false, 0o640]);
  ok(Math.abs(Date.now() - stats.mtimeMs) < 60_000 && stats.mtime instanceof Date);
  await promises.utimes(at('s.txt'), 1, new Date(2000));
  equal([fs.statSync(at('s.txt')).atimeMs, fs.statSync(at('s.txt')).mtimeMs], [1000, 2000]);
  await promises.chmod(at('s.txt'), 0o600);
  equal((await promises.stat(at('s.txt'))).mode & 0o777, 0o600);
  fs.truncateSync(at('s.txt'), 2);
  equal(fs.readFileSync(at('s.txt'), 'utf8'), '12');
  equal(fs.statSync(at('none'), { throwIfNoEntry: false }), undefined);
  equal(typeof fs.statSync(at('s.txt'), { bigint: true }).size, 'bigint');
});

test('links, renames and copies', async () => {
  fs.writeFileSync(at('target'), 'x');
  fs.symlinkSync('target', at('link'));
  equal([fs.readlinkSync(at('link')), fs.lstatSync(at('link')).isSymbolicLink()], ['target', true]);
  equal(fs.realpathSync(at('link')), fs.realpathSync(at('target')));
  fs.renameSync(at('target'), at('moved'));
  equal((await failure(() => fs.readFileSync(at('link')))).code, 'ENOENT');
  fs.copyFileSync(at('moved'), at('copied'));
  equal((await failure(() => fs.copyFileSync(at('moved'), at('copied'), fs.constants.COPYFILE_EXCL))).code, 'EEXIST');
  equal((await failure(() => fs.writeFileSync(at('copied'), '', { flag: 'wx' }))).code, 'EEXIST');
});

test('what is not offered says so', async () => {
  ok(/does not offer fs\.promises\.lchmod; only macOS has it/.test((await failure(() => promises.lchmod('x', 0o600))).message));
});

export default await failures();
