// `vi.waitFor` and `vi.waitUntil`.
import { clearTimeout, setTimeout } from 'lmthing:internal/timers';
import { fakeClock } from './clock.js';
import { placeAt } from './place.js';

const readOptions = (what, callback, options = {}) => {
  if (typeof callback !== 'function')
    throw new TypeError(`${what}: what is asked must be a function, got ${callback === null ? 'null' : typeof callback}`);
  return { interval: 50, timeout: 1000, ...(typeof options === 'number' ? { timeout: options } : options) };
};

const timedOut = (message, here) => placeAt(new Error(message), here);

/** Calls `turn` repeatedly until it returns `{value}`; at the timeout throws the result of `whenOver`. */
async function again({ interval, timeout, message }, turn, whenOver) {
  let isOver = false;
  let tellOver;
  const over = new Promise((resolve) => void (tellOver = resolve));
  const timer = setTimeout(() => {
    isOver = true;
    tellOver();
  }, timeout);
  try {
    for (;;) {
      fakeClock()?.tick(interval);
      const done = await Promise.race([turn(), over]);
      if (done) return done.value;
      if (isOver) break;
      await Promise.race([new Promise((resolve) => setTimeout(resolve, interval)), over]);
    }
  } finally {
    clearTimeout(timer);
  }
  const error = whenOver();
  if (message && error instanceof Error) error.message = `${message}: ${error.message}`;
  throw error;
}

/** Waits until the callback does not throw. */
export function waitFor(callback, options) {
  const read = readOptions('vi.waitFor', callback, options);
  const here = new Error();
  let last;
  const turn = async () => {
    try {
      return { value: await callback() };
    } catch (error) {
      last = { error };
      return undefined;
    }
  };
  return again(read, turn, () => (last ? last.error : timedOut('Timed out in waitFor!', here)));
}

/** Waits until the callback returns a truthy value. */
export function waitUntil(callback, options) {
  const read = readOptions('vi.waitUntil', callback, options);
  const here = new Error();
  const turn = async () => {
    const value = await callback();
    return value ? { value } : undefined;
  };
  return again(read, turn, () => timedOut('Timed out in waitUntil!', here));
}
