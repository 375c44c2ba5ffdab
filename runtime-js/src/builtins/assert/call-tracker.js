// `assert.CallTracker`.
import { brand } from '../shared/brand.js';
import { checkInteger, invalidArgumentType, nodeError } from '../shared/errors.js';
import { AssertionError } from './assertion-error.js';

export class CallTracker {
  #tracked = new Map();

  calls(fn, expected = 1) {
    if (typeof fn === 'number') [fn, expected] = [() => {}, fn];
    const target = fn ?? (() => {});
    checkInteger(expected, 'expected', 1, 2 ** 32 - 1);
    const state = { calls: [], expected, name: target.name || 'calls', stack: new Error() };
    const tracked = new Proxy(target, {
      apply(original, thisArg, values) {
        state.calls.push(Object.freeze({ thisArg, arguments: Object.freeze([...values]) }));
        return Reflect.apply(original, thisArg, values);
      },
    });
    this.#tracked.set(tracked, state);
    return tracked;
  }

  #stateOf(tracked) {
    const state = this.#tracked.get(tracked);
    if (state) return state;
    const message = `The argument 'tracked' is not a tracked function. Received ${String(tracked)}`;
    throw typeof tracked === 'function' ? nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message) : invalidArgumentType('tracked', 'of type function', tracked);
  }

  getCalls(tracked) {
    return Object.freeze([...this.#stateOf(tracked).calls]);
  }

  reset(tracked = undefined) {
    if (tracked === undefined) for (const state of this.#tracked.values()) state.calls = [];
    else this.#stateOf(tracked).calls = [];
  }

  report() {
    return [...this.#tracked.values()]
      .filter(({ calls, expected }) => calls.length !== expected)
      .map(({ calls, expected, name, stack }) => ({
        message: `Expected the ${name} function to be executed ${expected} time(s) but was executed ${calls.length} time(s).`,
        actual: calls.length,
        expected,
        operator: name,
        stack,
      }));
  }

  verify() {
    const errors = this.report();
    if (errors.length === 0) return;
    const message = errors.length === 1 ? errors[0].message : 'Functions were not called the expected number of times';
    throw new AssertionError({ message, details: errors });
  }
}
brand(CallTracker, 'CallTracker', false);
