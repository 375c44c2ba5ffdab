// The half of `lmthing/test` that expects things: loaded when something is first expected.
import { inspect } from '@vitest/utils/display';
import { settings } from 'lmthing:internal/testing/state';
import { begin, expect } from './expect.js';
import { loadedMatchersOf, matchersOf } from './later.js';
import { errorsAtTheEnd } from './running.js';

export { expect };

// What the modules that are loaded later are made of.
export {
  equals,
  getCustomEqualityTesters,
  getObjectSubset,
  iterableEquality,
  recordAsyncExpect,
  subsetEquality,
} from '@vitest/expect';
export { config, parts, rest } from 'chai';
export { Assertion, AssertionError, chaiExpect, flag, util } from './matchers.js';
export { placeAt } from './place.js';
export { runningTask } from './running.js';

/** A value for a message, on one line. */
export const shown = (value) => inspect(value, { truncate: 120 });

/** Begins an attempt at a test. */
export function beforeTest(test) {
  begin();
  loadedMatchersOf('snapshots')?.beginAttempt(test);
}

/** Ends it; gives what is wrong with it beside what it threw. Asked again, it gives what came meanwhile. */
export const afterTest = async (test) => (test.context.task ? errorsAtTheEnd(test.context.task) : []);

/** Ends the file: writes snapshots; with `allRan` it knows which are obsolete, but for those of tests in `unfinished`. */
export function afterFile(ending) {
  if (!settings.hasSnapshots && !loadedMatchersOf('snapshots')) return { snapshots: {}, notes: [] };
  return matchersOf('snapshots').endFile(ending);
}
