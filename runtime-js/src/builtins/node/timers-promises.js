import { invalidArgumentType } from '../shared/errors.js';

const { clearImmediate, clearInterval, clearTimeout } = globalThis;
const timers = { setImmediate: globalThis.setImmediate, setInterval: globalThis.setInterval, setTimeout: globalThis.setTimeout };

function abortError(signal) {
  const error = new Error('The operation was aborted', { cause: signal.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

function checkSignal(signal) {
  if (signal !== undefined && (typeof signal !== 'object' || signal === null || !('aborted' in signal))) {
    throw invalidArgumentType('options.signal', 'an instance of AbortSignal', signal);
  }
}

/** `start(done)` returns the timer, `stop` cancels it on abort. */
async function wait(start, stop, value, options = {}) {
  if (options === null || typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
  const { signal, ref = true } = options;
  checkSignal(signal);
  if (typeof ref !== 'boolean') throw invalidArgumentType('options.ref', 'of type boolean', ref);
  if (signal?.aborted) throw abortError(signal);
  let onAbort;
  try {
    return await new Promise((resolve, reject) => {
      const timer = start(() => resolve(value));
      if (!ref) timer.unref?.();
      onAbort = () => {
        stop(timer);
        reject(abortError(signal));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

export async function setTimeout(delay, value, options) {
  if (delay !== undefined && typeof delay !== 'number') throw invalidArgumentType('delay', 'of type number', delay);
  return wait((done) => timers.setTimeout(done, delay), clearTimeout, value, options);
}

export function setImmediate(value, options) {
  return wait((done) => timers.setImmediate(done), clearImmediate, value, options);
}

export async function* setInterval(delay, value, options = {}) {
  if (delay !== undefined && typeof delay !== 'number') throw invalidArgumentType('delay', 'of type number', delay);
  if (options === null || typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
  const { signal, ref = true } = options;
  checkSignal(signal);
  if (typeof ref !== 'boolean') throw invalidArgumentType('options.ref', 'of type boolean', ref);
  if (signal?.aborted) throw abortError(signal);
  let due = 0;
  let wake;
  const timer = timers.setInterval(() => {
    due += 1;
    wake?.();
  }, delay);
  if (!ref) timer.unref?.();
  const onAbort = () => wake?.();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      if (signal?.aborted) throw abortError(signal);
      if (due === 0) await new Promise((resolve) => (wake = resolve));
      for (; due > 0; due--) yield value;
    }
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

export const scheduler = {
  wait: (delay, options) => setTimeout(delay, undefined, options),
  yield: () => setImmediate(),
};

export default { scheduler, setImmediate, setInterval, setTimeout };
