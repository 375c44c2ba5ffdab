// AsyncLocalStorage, wherever a program may wait.
import { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, triggerAsyncId } from 'node:async_hooks';
import { exec } from 'node:child_process';
import EventEmitter, { once } from 'node:events';
import fs from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const show = (name, ...values) => console.log(name, ...values);
const storage = new AsyncLocalStorage();
const other = new AsyncLocalStorage();
const at = () => storage.getStore();
show('promise', Promise.resolve(1), Promise.resolve().constructor === Promise, new Promise(() => {}));

const thenable = (value) => ({ then: (resolve) => setTimeout(resolve, 1, value) });
async function* numbers() {
  yield at();
  await null;
  yield at();
}
async function work(id) {
  const seen = [at()];
  const note = () => seen.push(at());
  await null;
  note();
  await 5;
  note();
  await sleep(5 - id);
  note();
  await thenable(1);
  note();
  await Promise.all([sleep(1), Promise.resolve()]).then(note);
  await Promise.reject(new Error('x')).catch(note).finally(note);
  try {
    await Promise.reject(new Error('y'));
  } catch {
    note();
  }
  await new Promise((done) => setTimeout(() => (note(), done()), 1));
  await new Promise((done) => setImmediate(() => (note(), done())));
  await new Promise((done) => process.nextTick(() => (note(), done())));
  await new Promise((done) => queueMicrotask(() => (note(), done())));
  await new Promise((done) => fs.readFile('main.mjs', () => (note(), done())));
  await fs.promises.readFile('main.mjs');
  note();
  for await (const value of numbers()) seen.push(value);
  for await (const _ of Readable.from([1, 2])) note();
  await promisify(exec)('true');
  note();
  await Promise.race([sleep(1), new Promise(() => {})]);
  note();
  await (async () => {
    await sleep(1);
    note();
  })();
  return new Set(seen).size === 1 && seen[0] === id ? seen.length : seen;
}
show('outside', at());
show('work', await Promise.all([1, 2, 3].map((id) => storage.run(id, work, id))));
show('outside', at());

const values = storage.run('a', (...given) => [at(), ...given], 1, 2);
show('run', values);
storage.run('outer', () => {
  other.run('second', () => {
    storage.run('inner', () => show('two', at(), other.getStore()));
    show('left', at(), other.getStore());
    storage.exit(() => show('exit', at(), other.getStore()));
  });
});
show('throws', (() => {
  try {
    storage.run(1, () => {
      throw new Error('x');
    });
  } catch {
    return at();
  }
})());
const emitter = new EventEmitter();
emitter.on('event', () => show('emitter', at()));
storage.run('emitting', () => emitter.emit('event'));
storage.run('later', () => setTimeout(() => emitter.emit('late'), 2));
await once(emitter, 'late');
show('after once', at());
const interval = await storage.run('interval', () => new Promise((done) => {
  let count = 0;
  const timer = setInterval(() => ++count === 2 && (clearInterval(timer), done(at())), 1);
}));
show('interval', interval);
const promised = storage.run('made here', () => sleep(2).then(() => at()));
show('promise', await promised, at());
const shared = sleep(3);
show('one promise', await Promise.all(['x', 'y'].map((id) => storage.run(id, async () => (await shared, at())))));
show('snapshot', storage.run('then', () => AsyncLocalStorage.snapshot())((a, b) => [at(), a, b], 1, 2));
show('bind', storage.run('bound', () => AsyncLocalStorage.bind((a) => [at(), a]))(3));
const resource = storage.run('resource', () => new AsyncResource('Mine'));
show('resource', resource.runInAsyncScope(function (a) {
  return [at(), this.x, a, executionAsyncId() === resource.asyncId(), triggerAsyncId() === resource.triggerAsyncId()];
}, { x: 1 }, 2));
show('resource bind', resource.bind((a, b) => [at(), a, b])(1, 2), resource.bind((a, b) => b).length, resource.emitDestroy() === resource);
show('ids', typeof executionAsyncId(), typeof triggerAsyncId());
for (const wrong of [() => new AsyncResource(), () => AsyncResource.bind(5), () => createHook({ init: 5 })]) {
  try {
    wrong();
  } catch (error) {
    show('wrong', error.code);
  }
}
storage.enterWith('entered');
await sleep(1);
show('entered', at());
await (async () => {
  storage.enterWith('inside');
  await null;
  show('inside', at());
})();
storage.disable();
show('disabled', at());
