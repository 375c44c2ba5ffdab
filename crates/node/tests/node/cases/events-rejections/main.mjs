// Failures of async listeners, and limits that are set while listening.
import events, { EventEmitter, EventEmitterAsyncResource, getEventListeners, getMaxListeners, listenerCount, setMaxListeners } from 'node:events';

const fails = (run) => {
  try {
    return run();
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
process.on('uncaughtException', (error, origin) => console.log('uncaught', error.message, origin));
process.on('unhandledRejection', (error) => console.log('unhandled', error.message));

console.log(fails(() => { EventEmitter.captureRejections = 'x'; }));
EventEmitter.captureRejections = true;
const captured = new EventEmitter();
EventEmitter.captureRejections = false;
captured.on('error', (error) => console.log('error', error.message));
captured.on('x', async () => { throw new Error('late'); });
captured.emit('x');
const before = new EventEmitter();
EventEmitter.captureRejections = true;
before.on('error', () => console.log('never'));
before.on('x', async () => { throw new Error('not captured'); });
before.emit('x');
EventEmitter.captureRejections = false;
await pause();

let count = 0;
const again = new EventEmitter({ captureRejections: true });
again.on('error', async (error) => {
  console.log('async error', error.message);
  if (count++ === 0) throw new Error('again');
});
again.emit('error', new Error('first'));
await pause();
const getter = new EventEmitter({ captureRejections: true });
getter.on('error', (error) => console.log('error', error.message));
getter.on('x', () => ({ get then() { throw new Error('getter'); } }));
console.log(getter.emit('x'), getter.emit('nobody'), fails(() => new EventEmitter({ captureRejections: true }).emit('error', new Error('plain')))[2]);
const nobody = new EventEmitter({ captureRejections: true });
nobody.on('x', async () => { throw new Error('nobody listens'); });
nobody.emit('x');
await pause();

const emitter = new EventEmitter();
emitter.on('newListener', () => {
  console.log('limit', emitter.getMaxListeners());
  emitter.setMaxListeners(50);
});
emitter.on('x', () => {});
console.log(emitter.getMaxListeners());
process.on('warning', (warning) => console.log(warning.name, warning.count, String(warning.type)));
const many = new EventEmitter();
for (let index = 0; index < 12; index++) many.on('foo', () => {});
const once = new EventEmitter();
for (let index = 0; index < 12; index++) once.once('bar', () => {});
await pause();
console.log(Object.keys(Object.create(EventEmitter.prototype).on('a', () => {})), EventEmitter.prototype.setMaxListeners.name);
console.log(fails(() => setMaxListeners(5, {})), fails(() => getMaxListeners({})), fails(() => getEventListeners({}, 'x')), listenerCount(new EventTarget(), 'x'));
console.log(fails(() => new EventEmitterAsyncResource()), new (class Sub extends EventEmitterAsyncResource {})().eventNames(), events.captureRejections);
