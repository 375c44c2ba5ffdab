// `expect`: the matchers of @vitest/expect for the running test.
import { GLOBAL_EXPECT, addCustomEqualityTesters, customMatchers, getState, recordAsyncExpect, setState } from '@vitest/expect';
import { current, settings } from 'lmthing:internal/testing/state';
import { matchersOf } from './later.js';
import { Assertion, AssertionError, chaiExpect, flag } from './matchers.js';
import { makePoll } from './poll.js';
import { placeAt } from './place.js';
import { runningTask } from './running.js';

export const expect = (value, message) => {
  const task = runningTask();
  state.assertionCalls++;
  const assertion = chaiExpect(value, message);
  if (task) {
    task.calls++;
    flag(assertion, 'vitest-test', task);
  }
  return assertion;
};

Object.assign(expect, chaiExpect);
const state = {
  assertionCalls: 0,
  isExpectingAssertions: false,
  expectedAssertionsNumber: null,
  testPath: settings?.file,
  get currentTestName() {
    return current()?.name ?? '';
  },
};
setState(state, expect);
Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect, configurable: true, writable: true });

const softly = (value, message) => {
  const assertion = expect(value, message);
  flag(assertion, 'soft', true);
  return assertion;
};

const within = (what) => {
  const task = runningTask();
  if (!task) throw new Error(`${what} can only be called within a test`);
  return task;
};

/** Fails the running test at its end unless `count` assertions were made. */
function assertions(count) {
  if (!Number.isInteger(count) || count < 0)
    throw new TypeError(`expect.assertions: the number must be a whole number, got ${String(count)}`);
  const here = new Error();
  state.expectedAssertionsNumber = count;
  within('expect.assertions()').counts.push((calls) =>
    calls === count ? undefined : placeAt(new Error(`expected number of assertions to be ${count}, but got ${calls}`), here),
  );
}

/** Fails the running test at its end unless an assertion was made. */
function hasAssertions() {
  const here = new Error();
  state.isExpectingAssertions = true;
  within('expect.hasAssertions()').counts.push((calls) =>
    calls > 0 ? undefined : placeAt(new Error('expected any number of assertion, but got none'), here),
  );
}

/** Adds custom matchers. Failures of asynchronous ones are located at the calling line. */
function extend(matchers) {
  chaiExpect.extend(expect, matchers);
  for (const name of Object.keys(matchers)) {
    const matcher = Assertion.prototype[name];
    Assertion.prototype[name] = function (...args) {
      const found = matcher.apply(this, args);
      if (typeof found?.then !== 'function' || flag(this, 'poll') || flag(this, 'promise')) return found;
      const here = new Error();
      const placed = Promise.resolve(found).catch((error) => {
        throw placeAt(error, here);
      });
      return recordAsyncExpect(
        runningTask(),
        placed,
        `expect(actual).${name}(${args.length > 0 ? 'expected' : ''})`,
        here,
        false,
      );
    };
  }
}

Object.assign(expect, {
  getState: () => getState(expect),
  setState: (more) => setState(more, expect),
  extend,
  addEqualityTesters: (testers) => addCustomEqualityTesters(testers),
  addSnapshotSerializer: (serializer) => matchersOf('snapshots').addSerializer(serializer),
  soft: softly,
  poll: makePoll(expect),
  unreachable: (message) => {
    throw new AssertionError(`expected${message ? ` "${message}" ` : ' '}not to be reached`);
  },
  assertions,
  hasAssertions,
});
chaiExpect.extend(expect, customMatchers);

const satisfies = Assertion.prototype.toSatisfy;
/** With a function this is Vitest's matcher; with a text, a model judges. */
Assertion.prototype.toSatisfy = function toSatisfy(wanted, ...more) {
  if (typeof wanted === 'function') return satisfies.call(this, wanted, ...more);
  if (typeof wanted !== 'string')
    throw new TypeError(
      `toSatisfy needs a function, or a text that a model judges by, got ${wanted === null ? 'null' : typeof wanted}`,
    );
  const here = flag(this, 'error') ?? new Error();
  const isSoft = flag(this, 'soft') && !flag(this, 'promise');
  const judged = matchersOf('runs').judge(this, wanted, more[0], here);
  return recordAsyncExpect(flag(this, 'vitest-test'), judged, 'expect(subject).toSatisfy(criterion)', here, isSoft);
};

/** Starts an attempt at a test. */
export function begin() {
  Object.assign(state, { assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null });
}
