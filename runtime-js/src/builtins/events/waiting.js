// `once`, `on` and `addAbortListener` of `node:events`, for emitters and `EventTarget`s.
import { invalidArgumentType } from '../shared/errors.js';

function abortError(signal) {
  const error = new Error('The operation was aborted', { cause: signal?.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

function checkSignal(signal, name) {
  if (signal !== undefined && (typeof signal !== 'object' || signal === null || !('aborted' in signal))) {
    throw invalidArgumentType(name, 'an instance of AbortSignal', signal);
  }
}

export const isEmitter = (target) => typeof target?.on === 'function';
export const isTarget = (target) => typeof target?.addEventListener === 'function';

function checkTarget(target) {
  if (!isEmitter(target) && !isTarget(target)) throw invalidArgumentType('emitter', 'an instance of EventEmitter', target);
}

/** Returns a function that removes the listener. */
function listen(target, name, listener) {
  checkTarget(target);
  if (isEmitter(target)) {
    target.on(name, listener);
    return () => target.removeListener(name, listener);
  }
  target.addEventListener(name, listener);
  return () => target.removeEventListener(name, listener);
}

/** Resolves to the next event's arguments; an `error` event rejects. */
export async function once(target, name, { signal } = {}) {
  checkSignal(signal, 'options.signal');
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
export function on(target, name, { signal, close = [] } = {}) {
  checkSignal(signal, 'options.signal');
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

export function addAbortListener(signal, listener) {
  if (signal === undefined) throw invalidArgumentType('signal', 'an instance of AbortSignal', signal);
  checkSignal(signal, 'signal');
  if (typeof listener !== 'function') throw invalidArgumentType('listener', 'of type function', listener);
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  const dispose = () => signal.removeEventListener('abort', listener);
  return Symbol.dispose ? { [Symbol.dispose]: dispose } : { dispose };
}
