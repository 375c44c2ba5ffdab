// `fs.cp` with all of its options.
import fs from 'node:fs';
import { cp } from 'node:fs/promises';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const failure = async (run) => {
  try {
    return (await run()) ?? 'fine';
  } catch (error) {
    const at = process.cwd();
    return [error.name, error.code, error.errno, error.syscall, error.path?.replace(at, ''), error.dest, error.message.replaceAll(at, '')];
  }
};
const tree = (path) => fs.readdirSync(path, { recursive: true }).sort();

fs.mkdirSync('a/b/c', { recursive: true });
fs.writeFileSync('a/1.txt', 'one');
fs.writeFileSync('a/b/2.md', 'two', { mode: 0o755 });
fs.writeFileSync('a/b/c/3.txt', 'three');
fs.symlinkSync('1.txt', 'a/link');
fs.utimesSync('a/1.txt', 1000, 2000);
await cp('a', 'copy', { recursive: true });
show('tree', [tree('copy'), fs.readlinkSync('copy/link').endsWith('/a/1.txt'), (fs.statSync('copy/b/2.md').mode & 0o777).toString(8)]);
const asked = [];
await cp('a', 'filtered', { recursive: true, filter: async (from, to) => { asked.push([from, to]); return !from.endsWith('.md'); } });
show('filter', [tree('filtered'), asked.sort()]);
fs.cpSync('a', 'sync', { recursive: true, filter: (from) => !from.includes('c'), verbatimSymlinks: true, preserveTimestamps: true });
show('sync', [tree('sync'), fs.readlinkSync('sync/link'), fs.statSync('sync/1.txt').mtimeMs]);
fs.cpSync('a', 'real', { recursive: true, dereference: true });
show('dereference', [fs.lstatSync('real/link').isFile(), fs.readFileSync('real/link', 'utf8')]);
fs.writeFileSync('copy/1.txt', 'changed');
await cp('a/1.txt', 'copy/1.txt', { force: false });
show('kept', fs.readFileSync('copy/1.txt', 'utf8'));
await cp('a/1.txt', 'copy/1.txt');
show('forced', fs.readFileSync('copy/1.txt', 'utf8'));
fs.cpSync('a/1.txt', 'new/folder/1.txt');
show('parents', fs.readFileSync('new/folder/1.txt', 'utf8'));
show('errors', [
  await failure(() => cp('a', 'x')),
  await failure(() => fs.cpSync('a/1.txt', 'copy/1.txt', { force: false, errorOnExist: true })),
  await failure(() => cp('a/1.txt', 'copy/1.txt', { force: false, errorOnExist: true })),
  await failure(() => fs.cpSync('none', 'x')),
  await failure(() => cp('a', 'a', { recursive: true })),
  await failure(() => cp('a', 'a/b/inner', { recursive: true })),
  await failure(() => cp('a', 'a/1.txt', { recursive: true })),
  await failure(() => cp('a/1.txt', 'a/b')),
  await failure(() => cp('a', 'x', { recursive: 1 })),
]);
await new Promise((done) => fs.cp('a/1.txt', 'callback.txt', (error) => { show('callback', error); done(); }));
