// The assertion half of `lmthing/test`, loaded with the first assertion.
import { inspect } from '@vitest/utils/display';
import { settings } from 'lmthing:internal/testing/state';
import { begin, expect } from './expect.js';
import { loadedMatchersOf, matchersOf } from './later.js';
import { errorsAtTheEnd } from './running.js';

export { expect };

// Used by modules that are loaded later.
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

/** A value on one line, for messages. */
export const shown = (value) => inspect(value, { truncate: 120 });

/** Starts an attempt at a test. */
export function beforeTest(test) {
  begin();
  loadedMatchersOf('snapshots')?.beginAttempt(test);
}

/** Ends an attempt; returns its additional errors. A second call returns those that came in the meantime. */
export const afterTest = async (test) => (test.context.task ? errorsAtTheEnd(test.context.task) : []);

/** Ends the file: writes snapshots. With `allRan` obsolete ones are known, except those of tests in `unfinished`. */
export function afterFile(ending) {
  if (!settings.hasSnapshots && !loadedMatchersOf('snapshots')) return { snapshots: {}, notes: [] };
  return matchersOf('snapshots').endFile(ending);
}
