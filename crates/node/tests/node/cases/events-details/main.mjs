// Emitters and event targets beyond the everyday.
import { addAbortListener, EventEmitter, EventEmitterAsyncResource, captureRejectionSymbol, getEventListeners, on, once, setMaxListeners } from "node:events";

const t = (name, fn) => {
  const told = (error) => [error?.name, error?.code, error?.message];
  const say = (value) => console.log(`${name}:`, typeof value === "string" ? value : JSON.stringify(value, (_, x) => (typeof x === "bigint" ? `${x}n` : x)));
  let value;
  try {
    value = fn();
  } catch (error) {
    return say(told(error));
  }
  return typeof value?.then === "function" ? value.then(say, (error) => say(told(error))) : say(value);
};
for (const value of [undefined, 'text', { a: { b: 1 } }, null, 5]) t('unhandled', () => new EventEmitter().emit('error', value));
t('limit', () => new EventEmitter().setMaxListeners(-1));
t('limit of all', () => setMaxListeners(-1));
t('default limit', () => (EventEmitter.defaultMaxListeners = -1));
t('signal', () => addAbortListener(5, () => {}));
await t('once signal', () => once(new EventEmitter(), 'x', { signal: 5 }));
await t('captured', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  emitter.on('x', async () => {
    throw new Error('async');
  });
  const failed = once(emitter, 'error');
  emitter.emit('x');
  return (await failed)[0].message;
});
await t('captured by method', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  const heard = new Promise((resolve) => {
    emitter[captureRejectionSymbol] = (error, name, ...values) => resolve([error.message, name, values]);
  });
  emitter.on('x', async () => {
    throw new Error('q');
  });
  emitter.emit('x', 1, 2);
  return heard;
});
await t('leak', async () => {
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const emitter = new EventEmitter();
  for (let count = 0; count < 12; count++) emitter.on('foo', () => {});
  const { name, message, count, type } = await warned;
  return [name, message, count, type];
});
await t('on closes', async () => {
  const emitter = new EventEmitter();
  setTimeout(() => ['x', 'x', 'end'].forEach((name, index) => emitter.emit(name, index)), 1);
  const seen = [];
  for await (const values of on(emitter, 'x', { close: ['end'] })) seen.push(values);
  return seen;
});
t('target listeners', () => {
  const target = new EventTarget();
  target.addEventListener('x', () => {});
  return getEventListeners(target, 'x').length;
});
t('resource', () => [typeof new EventEmitterAsyncResource({ name: 'N' }).asyncId, EventEmitter.usingDomains]);
t('any', () => AbortSignal.any([1]));
t('any list', () => AbortSignal.any('x'));
t('timeout', () => AbortSignal.timeout(-1));
t('exception', () => {
  const exception = new DOMException('m', { name: 'DataCloneError', cause: 5 });
  return [exception.code, exception.cause, String(exception), exception.stack.split('\n')[0], exception instanceof Error];
});
await t('any promise', () => Promise.any([Promise.reject(new Error('a')), Promise.reject(1)]).catch((error) => [error.name, error.message, error.errors.length, Object.keys(error)]));
await t('first promise', () => Promise.any([Promise.reject(1), 2, new Promise(() => {})]));
