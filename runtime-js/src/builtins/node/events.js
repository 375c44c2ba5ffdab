// `node:events`: the npm package taken from Node's own source, and what Node has since added.
import BaseEmitter from 'events';
import { becomeEmitter } from 'lmthing:internal/process';
import { brand } from '../shared/brand.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const EventEmitter = BaseEmitter;
const errorMonitor = Symbol('events.errorMonitor');
const captureRejectionSymbol = Symbol.for('nodejs.rejection');

const baseEmit = EventEmitter.prototype.emit;
EventEmitter.prototype.emit = function emit(type, ...values) {
  if (type === 'error' && this.listenerCount(errorMonitor) > 0) baseEmit.call(this, errorMonitor, ...values);
  if (type === 'error' && this.listenerCount('error') === 0 && !(values[0] instanceof Error)) {
    throw unhandled(values[0]);
  }
  return baseEmit.call(this, type, ...values);
};

for (const name of ['addListener', 'off', 'on', 'once', 'prependListener', 'prependOnceListener', 'removeListener']) {
  const method = EventEmitter.prototype[name];
  EventEmitter.prototype[name] = {
    [name](type, listener) {
      if (typeof listener !== 'function') throw invalidArgumentType('listener', 'of type function', listener);
      return method.call(this, type, listener);
    },
  }[name];
}

function unhandled(value) {
  const shown = typeof value === 'string' ? `'${value}'` : typeof value === 'object' && value ? JSON.stringify(value) : String(value);
  const error = nodeError(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${shown})`);
  error.context = value;
  return error;
}

const baseListenerCount = EventEmitter.prototype.listenerCount;
EventEmitter.prototype.listenerCount = function listenerCount(type, listener = undefined) {
  if (listener === undefined) return baseListenerCount.call(this, type);
  return this.rawListeners(type).filter((item) => item === listener || item.listener === listener).length;
};

function abortError(signal) {
  const error = new Error('The operation was aborted', { cause: signal?.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

const isEmitter = (target) => typeof target?.on === 'function';
const isTarget = (target) => typeof target?.addEventListener === 'function';

function checkTarget(target) {
  if (!isEmitter(target) && !isTarget(target)) throw invalidArgumentType('emitter', 'an instance of EventEmitter', target);
}

/** Listens on an emitter or an `EventTarget`; gives the function that stops it. */
function listen(target, name, listener) {
  checkTarget(target);
  if (isEmitter(target)) {
    target.on(name, listener);
    return () => target.removeListener(name, listener);
  }
  target.addEventListener(name, listener);
  return () => target.removeEventListener(name, listener);
}

/** A promise of the next event's arguments; an `error` event rejects it. */
async function once(target, name, { signal } = {}) {
  if (signal?.aborted) throw abortError(signal);
  const stops = [];
  try {
    return await new Promise((resolve, reject) => {
      stops.push(listen(target, name, (...values) => resolve(values)));
      if (isEmitter(target) && name !== 'error') stops.push(listen(target, 'error', reject));
      if (signal) stops.push(listen(signal, 'abort', () => reject(abortError(signal))));
    });
  } finally {
    for (const stop of stops) stop();
  }
}

/** An async iterator over an event's arguments, until an event of `close`, an error, or `signal`. */
function on(target, name, { signal, close = [] } = {}) {
  if (signal?.aborted) throw abortError(signal);
  const ready = [];
  const waiting = [];
  let failure;
  let finished = false;
  const stops = [];
  const finish = () => {
    finished = true;
    for (const stop of stops.splice(0)) stop();
    for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
  };
  const fail = (error) => {
    if (waiting.length > 0) waiting.shift().reject(error);
    else failure = { error };
    finish();
  };
  stops.push(
    listen(target, name, (...values) => {
      if (waiting.length > 0) waiting.shift().resolve({ value: values, done: false });
      else ready.push(values);
    }),
  );
  if (isEmitter(target) && name !== 'error') stops.push(listen(target, 'error', fail));
  for (const event of close) stops.push(listen(target, event, finish));
  if (signal) stops.push(listen(signal, 'abort', () => fail(abortError(signal))));
  return {
    next() {
      if (ready.length > 0) return Promise.resolve({ value: ready.shift(), done: false });
      if (failure) {
        const { error } = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      if (finished) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return() {
      finish();
      return Promise.resolve({ value: undefined, done: true });
    },
    throw(error) {
      fail(error);
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function addAbortListener(signal, listener) {
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  const dispose = () => signal.removeEventListener('abort', listener);
  return Symbol.dispose ? { [Symbol.dispose]: dispose } : { dispose };
}

const getEventListeners = (target, name) => (isEmitter(target) ? target.listeners(name) : []);
const getMaxListeners = (target) => target.getMaxListeners?.() ?? EventEmitter.defaultMaxListeners;
const listenerCount = (emitter, name) => emitter.listenerCount(name);
function setMaxListeners(count = EventEmitter.defaultMaxListeners, ...targets) {
  if (targets.length === 0) EventEmitter.defaultMaxListeners = count;
  for (const target of targets) target.setMaxListeners?.(count);
}

brand(EventEmitter, 'EventEmitter', false);
Object.assign(EventEmitter, { addAbortListener, captureRejectionSymbol, captureRejections: false, errorMonitor, EventEmitter, getEventListeners, getMaxListeners, listenerCount, on, once, setMaxListeners });

becomeEmitter(EventEmitter);

export const { defaultMaxListeners, init, captureRejections, usingDomains } = EventEmitter;
export { addAbortListener, captureRejectionSymbol, errorMonitor, EventEmitter, getEventListeners, getMaxListeners, listenerCount, on, once, setMaxListeners };
export default EventEmitter;
