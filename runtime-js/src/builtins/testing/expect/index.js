// The half of `lmthing/test` that expects things: loaded when something is first expected.
import { begin, expect } from './expect.js';
import { errorsAtTheEnd } from './running.js';

export { expect };
// For chai's other part.
export { parts } from 'chai';

/** Begins an attempt at a test. */
export const beforeTest = (test) => begin(test);

/** Ends it; gives what is wrong with it beside what it threw. */
export const afterTest = async (test) => (test.context.task ? errorsAtTheEnd(test.context.task) : []);

/** Ends the file. */
export const afterFile = () => ({ snapshots: {}, notes: [] });
