// `expect.poll`: repeats a call until its result satisfies the assertion.
import { clearTimeout, setTimeout } from 'lmthing:internal/timers';
import { fakeClock } from './clock.js';
import { Assertion, flag } from './matchers.js';
import { placeAt } from './place.js';
import { awaited, runningTask } from './running.js';

// Matchers that cannot be repeated.
const UNSUPPORTED =
  /^(toMatch(Inline)?Snapshot|matchSnapshot|toThrowErrorMatching(Inline)?Snapshot|throws?|Throw|toThrow(Error)?|resolves|rejects)$/;

/** `expect.poll(fn, {interval, timeout, message})`, for an `expect`. */
export const makePoll =
  (expect) =>
  (fn, { interval = 50, timeout = 1000, message } = {}) => {
    if (typeof fn !== 'function')
      throw new TypeError(`expect.poll: what is polled must be a function, got ${fn === null ? 'null' : typeof fn}`);
    const task = runningTask();
    if (!task) throw new Error('expect.poll() must be called inside a test');
    const assertion = expect(null, message);
    flag(assertion, 'poll', true);
    const proxy = new Proxy(assertion, {
      get(target, key) {
        if (UNSUPPORTED.test(String(key))) {
          throw new SyntaxError(
            `expect.poll() is not supported in combination with .${String(key)}(). Use vi.waitFor() if your assertion condition is unstable.`,
          );
        }
        const found = Reflect.get(target, key);
        if (found instanceof Assertion && typeof found !== 'function') return proxy;
        if (typeof found !== 'function' || key === 'assert') return found;
        return (...args) => {
          const here = new Error();
          const name = `expect.poll(assertion).${flag(assertion, 'negate') ? 'not.' : ''}${String(key)}()`;
          const begin = () =>
            polled(assertion, fn, () => found.apply(assertion, args), { interval, timeout }).catch((error) => {
              if (error !== null && typeof error === 'object') error.cause ??= new Error('Matcher did not succeed in time.');
              throw placeAt(error, here);
            });
          const forgotten = () =>
            placeAt(
              new Error(
                `${name} was not awaited. This assertion is asynchronous and must be awaited; otherwise, it is not executed to avoid unhandled rejections:\n\nawait ${name}\n`,
              ),
              here,
            );
          return awaited(task, begin, forgotten);
        };
      },
    });
    return proxy;
  };

/** Repeats until `check` passes; at the timeout it throws the last failure. */
async function polled(assertion, fn, check, { interval, timeout }) {
  const controller = new AbortController();
  let timer;
  const over = new Promise((resolve) => {
    timer = setTimeout(() => resolve(controller.abort()), timeout);
  });
  const isOver = Symbol('over');
  const inTime = (promise) => Promise.race([promise, over.then(() => isOver)]);
  let last = new Error("expect.poll() function didn't resolve in time.");
  try {
    while (!controller.signal.aborted) {
      try {
        const value = await inTime((async () => fn({ signal: controller.signal }))());
        if (value === isOver) break;
        flag(assertion, 'object', value);
        if ((await inTime((async () => void (await check()))())) !== isOver) return;
        break;
      } catch (error) {
        last = error;
        await inTime(new Promise((resolve) => setTimeout(resolve, interval)));
        fakeClock()?.tick(interval);
      }
    }
  } finally {
    clearTimeout(timer);
  }
  throw last;
}
