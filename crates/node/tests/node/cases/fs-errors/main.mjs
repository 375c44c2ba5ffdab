// Files and folders by the synchronous calls: what they give, and Node's errors when they fail.
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
import fs from 'node:fs';
import path from 'node:path';
fs.mkdirSync('d/e', { recursive: true });
fs.writeFileSync('d/a.txt', 'hello');
await t('mkdir returns', () => path.relative(process.cwd(), fs.mkdirSync('x/y/z', { recursive: true })));
await t('mkdir exists', () => fs.mkdirSync('d'));
await t('rmdir notempty', () => fs.rmdirSync('d'));
await t('rm dir', () => fs.rmSync('d'));
await t('rm missing', () => fs.rmSync('nope'));
await t('rm force', () => fs.rmSync('nope', { force: true }));
await t('unlink missing', () => fs.unlinkSync('nope'));
await t('unlink dir', () => fs.unlinkSync('d'));
await t('read dir as file', () => fs.readFileSync('d'));
await t('readdir file', () => fs.readdirSync('d/a.txt'));
await t('rename missing', () => fs.renameSync('nope', 'nope2'));
await t('copy missing', () => fs.copyFileSync('nope', 'nope2'));
await t('copy excl', () => fs.copyFileSync('d/a.txt', 'd/a.txt2', fs.constants.COPYFILE_EXCL));
await t('copy excl again', () => fs.copyFileSync('d/a.txt', 'd/a.txt2', fs.constants.COPYFILE_EXCL));
await t('symlink', () => {
  fs.symlinkSync('a.txt', 'd/link');
  return [
    fs.readlinkSync('d/link'),
    fs.lstatSync('d/link').isSymbolicLink(),
    fs.statSync('d/link').isFile(),
    path.basename(fs.realpathSync('d/link')),
    fs.lstatSync('d/link').size,
  ];
});
await t('symlink again', () => fs.symlinkSync('a.txt', 'd/link'));
await t('readlink no', () => fs.readlinkSync('d/a.txt'));
await t('link', () => {
  fs.linkSync('d/a.txt', 'd/hard');
  return fs.statSync('d/hard').nlink;
});
await t('access', () => fs.accessSync('nope', fs.constants.W_OK));
await t('chmod', () => {
  fs.chmodSync('d/a.txt', 0o640);
  return (fs.statSync('d/a.txt').mode & 0o777).toString(8);
});
await t('chmod str', () => {
  fs.chmodSync('d/a.txt', '600');
  return (fs.statSync('d/a.txt').mode & 0o777).toString(8);
});
await t('utimes', () => {
  fs.utimesSync('d/a.txt', 1000, new Date(2000500));
  const s = fs.statSync('d/a.txt');
  return [s.atimeMs, s.mtimeMs, s.mtime];
});
await t('bigint', () => {
  const s = fs.statSync('d/a.txt', { bigint: true });
  return [typeof s.size, s.mtimeNs, s.mtimeMs, s.isFile(), Object.keys(s)];
});
await t('stat keys', () => Object.keys(fs.statSync('d/a.txt')));
await t('stat enoent', () => fs.statSync('nope'));
await t('truncate', () => {
  fs.truncateSync('d/a.txt2', 10);
  return [...fs.readFileSync('d/a.txt2')];
});
await t('flag wx', () => fs.writeFileSync('d/a.txt', '', { flag: 'wx' }));
await t('bad flag', () => fs.openSync('d/a.txt', 'zz'));
await t('bad path', () => fs.readFileSync(undefined));
await t('bad path nul', () => fs.readFileSync('a\0b'));
await t('bad enc', () => fs.readFileSync('d/a.txt', 'nope'));
await t('bad url', () => fs.readFileSync(new URL('http://x/y')));
await t('fd', () => {
  const fd = fs.openSync('f', 'w+');
  fs.writeSync(fd, 'hello world');
  fs.writeSync(fd, 'XY', 2);
  fs.writeSync(fd, Buffer.from('abcdef'), 1, 3, 6);
  const b = Buffer.alloc(20);
  const n = fs.readSync(fd, b, 0, 20, 0);
  fs.ftruncateSync(fd, 5);
  fs.fsyncSync(fd);
  const s = fs.fstatSync(fd).size;
  fs.closeSync(fd);
  return [n, b.toString('utf8', 0, n), s];
});
await t('readv', () => {
  const fd = fs.openSync('f', 'r+');
  fs.writevSync(fd, [Buffer.from('ab'), Buffer.from('cde')], 0);
  const a = Buffer.alloc(2),
    b = Buffer.alloc(3);
  const n = fs.readvSync(fd, [a, b], 0);
  fs.closeSync(fd);
  return [n, `${a}`, `${b}`];
});
await t('closed', () => fs.closeSync(9999));
await t('closed read', () => fs.readSync(9999, Buffer.alloc(1)));
await t('readdir types', () =>
  fs
    .readdirSync('d', { withFileTypes: true })
    .map((e) => [e.name, e.isFile(), e.isDirectory(), e.isSymbolicLink(), e.path, e.parentPath, e.isFIFO(), e.isSocket()]),
);
await t('recursive', () =>
  fs
    .readdirSync('.', { recursive: true })
    .filter((n) => !/mjs$|node_modules/.test(n))
    .sort(),
);
await t('buffer', () => fs.readdirSync('d', 'buffer').map((b) => Buffer.isBuffer(b)));
await t('mkdtemp err', () => fs.mkdtempSync('no/such/tmp-').length);
await t('opendir', () => {
  const d = fs.opendirSync('d');
  const out = [];
  let e;
  while ((e = d.readSync())) out.push(e.name);
  d.closeSync();
  return [out.sort(), d.path];
});
await t('opendir closed', () => {
  const d = fs.opendirSync('d');
  d.closeSync();
  d.readSync();
});
await t('opendir err', () => fs.opendirSync('nope'));
await t('exists', () => [fs.existsSync('d'), fs.existsSync(), fs.existsSync('a\0')]);
await t('cp', () => {
  fs.cpSync('d', 'c', { recursive: true });
  return fs.readdirSync('c').sort();
});
await t('cp errorOnExist', () => fs.cpSync('d/a.txt', 'c/a.txt', { errorOnExist: true, force: false }));
await t('cp into itself', () => fs.cpSync('d', 'd/sub', { recursive: true }));
await t('cp missing', () => fs.cpSync('nope', 'c9'));
await t('appendFile fd', () => {
  const fd = fs.openSync('f', 'a');
  fs.appendFileSync(fd, 'Q');
  fs.closeSync(fd);
  return fs.readFileSync('f', 'latin1');
});
await t('mode', () => {
  fs.writeFileSync('m', 'x', { mode: 0o600 });
  return (fs.statSync('m').mode & 0o777).toString(8);
});
await t('inspect', () => {
  const s = fs.readdirSync('d', { withFileTypes: true })[0];
  return [Object.keys(s), s.constructor.name];
});
await t('write num', () => fs.writeFileSync('m', 5));
await t('write obj', () => fs.writeFileSync('m', {}));
await t('rmdir rec', () => {
  fs.rmdirSync('c', { recursive: true });
  return fs.existsSync('c');
});
await t('rm file as rmdir', () => fs.rmdirSync('m'));
await t('lutimes', () => {
  fs.lutimesSync('d/link', 5, 6);
  return fs.lstatSync('d/link').mtimeMs;
});
