// Watching: events of a folder and of what is below it, as an iterator, and by looking.
import fs from 'node:fs';
import { watch } from 'node:fs/promises';
import { once } from 'node:events';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const until = async (test) => {
  for (let i = 0; i < 200 && !test(); i++) await sleep(10);
};

fs.mkdirSync('w/sub', { recursive: true });
fs.writeFileSync('w/old.txt', 'old');
const seen = new Set();
const watcher = fs.watch('w', (event, name) => seen.add(`${event} ${name}`));
await sleep(50);
fs.writeFileSync('w/old.txt', 'new');
await until(() => seen.has('change old.txt'));
fs.writeFileSync('w/new.txt', 'new');
fs.renameSync('w/new.txt', 'w/newer.txt');
fs.unlinkSync('w/old.txt');
await until(() => seen.has('rename old.txt'));
watcher.close();
await once(watcher, 'close');
show('events', [...seen].sort());
const before = seen.size;
fs.writeFileSync('w/after.txt', '');
await sleep(60);
show('closed', seen.size === before);

const one = fs.watch('w/newer.txt');
const change = once(one, 'change');
await sleep(30);
fs.appendFileSync('w/newer.txt', 'more');
show('one file', await change);
one.close();

const stop = new AbortController();
const names = [];
setTimeout(() => fs.writeFileSync('w/late.txt', ''), 50);
try {
  for await (const event of watch('w', { signal: stop.signal })) {
    names.push(event.filename);
    stop.abort();
  }
} catch (error) {
  show('iterator', [names, error.name, error.code, error.message]);
}
for (const run of [() => fs.watch('none'), () => fs.watch(5)]) {
  try {
    run();
  } catch (error) {
    show('error', [error.name, error.code, error.errno, error.syscall, error.path, error.filename, error.message]);
  }
}
fs.writeFileSync('polled.txt', 'a');
const polled = new Promise((done) => fs.watchFile('polled.txt', { interval: 30 }, (now, then) => done([now.size, then.size])));
await sleep(60);
fs.writeFileSync('polled.txt', 'abc');
show('polled', await polled);
fs.unwatchFile('polled.txt');
fs.watch('w', { persistent: false });
