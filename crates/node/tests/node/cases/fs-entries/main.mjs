// Entries, stats, links and the other operations in their blocking and callback faces.
import fs from 'node:fs';
import constants from 'node:constants';
import { inspect } from 'node:util';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const fails = (run) => {
  try {
    return run() ?? 'fine';
  } catch (error) {
    const at = process.cwd();
    return [error.name, error.code, error.errno, error.syscall, error.path?.replace(at, ''), error.dest, error.message.replaceAll(at, '')];
  }
};
fs.mkdirSync('d/e/f', { recursive: true });
fs.writeFileSync('d/1.txt', 'one');
fs.writeFileSync('d/e/2.txt', 'two');
fs.symlinkSync('1.txt', 'd/link');
const entries = (list) => list.map((entry) => [entry.name, entry.parentPath, entry.isFile(), entry.isDirectory(), entry.isSymbolicLink()]);
show('entries', entries(fs.readdirSync('d', { withFileTypes: true })));
show('deep', entries(fs.readdirSync('d', { withFileTypes: true, recursive: true })).sort());
show('names', [fs.readdirSync('d', { recursive: true }).sort(), fs.readdirSync(Buffer.from('d'), 'buffer').map((name) => [Buffer.isBuffer(name), String(name)]), fs.readdirSync(new URL('d/', `file://${process.cwd()}/`))]);
const dir = fs.opendirSync('d');
show('dir', [dir.path, dir.readSync().constructor.name, dir.closeSync(), fails(() => dir.readSync())]);
show('stats', [fs.lstatSync('d/link').isSymbolicLink(), fs.statSync('d/link').size, fs.statSync('none', { throwIfNoEntry: false }) ?? 'nothing', typeof fs.statSync('d', { bigint: true }).mtimeNs, Object.keys(fs.statSync('d')), fs.statSync('d').constructor.name]);
show('errors', [
  fails(() => fs.statSync('none')),
  fails(() => fs.lstatSync('none')),
  fails(() => fs.readdirSync('none')),
  fails(() => fs.mkdirSync('d')),
  fails(() => fs.mkdirSync('d/1.txt', { recursive: true })),
  fails(() => fs.mkdirSync('x/y')),
  fails(() => fs.rmdirSync('d')),
  fails(() => fs.rmSync('d')),
  fails(() => fs.rmSync('none')),
  fails(() => fs.unlinkSync('none')),
  fails(() => fs.renameSync('none', 'x')),
  fails(() => fs.copyFileSync('none', 'x')),
  fails(() => fs.copyFileSync('d/1.txt', 'd/e/2.txt', fs.constants.COPYFILE_EXCL)),
  fails(() => fs.linkSync('none', 'x')),
  fails(() => fs.symlinkSync('x', 'd')),
  fails(() => fs.readlinkSync('d')),
  fails(() => fs.realpathSync('none/x')),
  fails(() => fs.realpathSync.native('none/x')),
  fails(() => fs.chmodSync('none', 0o600)),
  fails(() => fs.chownSync('none', 1, 1)),
  fails(() => fs.utimesSync('none', 1, 1)),
  fails(() => fs.truncateSync('none')),
  fails(() => fs.accessSync('none', fs.constants.R_OK)),
  fails(() => fs.statfsSync('none')),
  fails(() => fs.readFileSync('none')),
  fails(() => fs.readFileSync('d')),
  fails(() => fs.writeFileSync('none/x', '')),
  fails(() => fs.appendFileSync('d', '')),
  fails(() => fs.mkdtempSync('none/x')),
  fails(() => fs.readFileSync('a\0b')),
  fails(() => fs.readFileSync({})),
  fails(() => fs.writeFileSync('x', {})),
  fails(() => fs.readFileSync('d/1.txt', 'nope')),
  fails(() => fs.chmodSync('d', 'x9')),
  fails(() => fs.existsSync()),
  fails(() => fs.cpSync()),
]);
fs.linkSync('d/1.txt', 'd/hard');
fs.truncateSync('d/hard', 2);
fs.lutimesSync('d/link', 7, 8);
fs.lchownSync('d/link', process.getuid?.() ?? fs.lstatSync('d/link').uid, fs.lstatSync('d/link').gid);
show('links', [fs.readFileSync('d/1.txt', 'utf8'), fs.statSync('d/hard').nlink, fs.lstatSync('d/link').mtimeMs, fs.realpathSync('d/link').replace(process.cwd(), ''), fs.realpathSync.native('d/../d/link').replace(process.cwd(), '')]);
fs.copyFileSync('d/1.txt', 'd/copied');
fs.renameSync('d/copied', 'd/renamed');
fs.rmSync('d/renamed');
fs.rmSync('d/e', { recursive: true });
fs.rmSync('none', { force: true });
show('left', fs.readdirSync('d'));
const callback = (name, ...values) => new Promise((done) => fs[name](...values, (...result) => done(result.map((item) => item?.message ?? item))));
show('callbacks', [await callback('exists', 'd'), await callback('access', 'none'), await callback('readdir', 'd'), await callback('mkdir', 'cb'), await callback('rmdir', 'cb'), await callback('readFile', 'd/1.txt', 'utf8'), await callback('writeFile', 'cb.txt', 'x'), await callback('appendFile', 'cb.txt', Buffer.from('y')), await callback('readFile', 'cb.txt', { encoding: 'utf8' }), await callback('rename', 'cb.txt', 'cb2.txt'), await callback('unlink', 'cb2.txt'), await callback('readlink', 'd/link'), await callback('rm', 'none')]);
show('constants', [constants.O_RDONLY, constants.S_IFMT, constants.F_OK, constants.ENOENT, constants.SIGTERM, fs.constants.O_CREAT, fs.R_OK, fs.constants.COPYFILE_EXCL]);
console.log(inspect(fs.readdirSync('d', { withFileTypes: true })[0].constructor.name), typeof fs.Stats, typeof fs.promises.readFile);
show('missing', ['openAsBlob', 'lchmod', 'glob', 'ReadStream', 'Dir', 'writev'].map((name) => name in fs || name === 'glob'));
