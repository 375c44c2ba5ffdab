// What process emits by itself while a program runs.
import EventEmitter, { once } from 'node:events';

const show = (name, ...values) => console.log(name, ...values);
show('emitter', process instanceof EventEmitter, typeof process.rawListeners, Object.prototype.toString.call(process));
process.on('uncaughtExceptionMonitor', (error, origin) => show('monitor', error?.message ?? error, origin));
process.on('uncaughtException', (error, origin) => show('uncaught', error?.message ?? error, origin));
setTimeout(() => {
  throw new Error('in a timer');
}, 1);
await new Promise((done) => setTimeout(done, 10));
queueMicrotask(() => {
  throw new Error('in a microtask');
});
process.nextTick(() => {
  throw new TypeError('in a tick');
});
process.nextTick(() => show('the next tick'));
setImmediate(() => {
  throw 'a string in an immediate';
});
await new Promise((done) => setTimeout(done, 10));
new EventEmitter().emit.bind(null);
setTimeout(() => new EventEmitter().emit('error', new Error('no listener')), 1);
await new Promise((done) => setTimeout(done, 10));
Promise.reject(new Error('rejected, nobody listens'));
await new Promise((done) => setTimeout(done, 5));
process.on('unhandledRejection', (reason, promise) => show('rejection', reason?.message ?? reason, promise instanceof Promise));
Promise.reject(new Error('rejected'));
Promise.reject(5);
const handledLater = Promise.reject(new Error('handled in time'));
handledLater.catch(() => {});
await new Promise((done) => setTimeout(done, 10));
process.removeAllListeners('uncaughtException');
process.setUncaughtExceptionCaptureCallback((error) => show('captured', error.message));
show('has', process.hasUncaughtExceptionCaptureCallback());
setTimeout(() => {
  throw new Error('for the capture');
}, 1);
await new Promise((done) => setTimeout(done, 10));
process.setUncaughtExceptionCaptureCallback(null);

process.on('warning', (warning) => show('warning', warning.name, warning.message, warning.code, warning.detail));
process.emitWarning('careful');
process.emitWarning('old', 'DeprecationWarning', 'DEP0');
process.emitWarning('with detail', { type: 'Custom', code: 'C1', detail: 'more of it' });
process.emitWarning(new RangeError('an error'));
for (const wrong of [[], [5], ['x', 5], ['x', 'y', 5]]) {
  try {
    process.emitWarning(...wrong);
  } catch (error) {
    show('wrong', error.code, error.message);
  }
}
await once(process, 'warning');
await new Promise((done) => setTimeout(done, 5));
const listener = () => {};
process.prependOnceListener('own', listener);
show('own', process.listenerCount('own'), process.emit('own', 1), process.emit('own'), process.eventNames().includes('own'));
show('chains', process.on('own', listener) === process, process.off('own', listener) === process, process.listeners('own'));
let rounds = 0;
process.on('beforeExit', (code) => {
  show('before exit', code);
  if (rounds++ < 2) setTimeout(() => show('round', rounds), 1);
});
process.on('exit', (code) => {
  show('exit', code, process.exitCode);
  process.exitCode = 6;
});
process.on('exit', (code) => show('again', code, process.exitCode));
