// Matchers that are built-in modules of their own, loaded when one is used: their functions are called with the assertion as `this`.
import { wrapAssertion } from '@vitest/expect';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { Assertion, addMethod, util } from './matchers.js';

const MATCHERS = {
  runs: ['toHaveCalledTool', 'toHaveCalledTools', 'toHaveSystem', 'toCost'],
  snapshots: [
    'matchSnapshot',
    'toMatchSnapshot',
    'toMatchInlineSnapshot',
    'toThrowErrorMatchingSnapshot',
    'toThrowErrorMatchingInlineSnapshot',
    'toMatchFileSnapshot',
  ],
};

const loaded = {};

/** The module of these matchers. */
export const matchersOf = (group) => (loaded[group] ??= importBuiltin(`lmthing:internal/testing/${group}`));

/** The same, if it was loaded. */
export const loadedMatchersOf = (group) => loaded[group];

for (const [group, names] of Object.entries(MATCHERS)) {
  for (const name of names) {
    const matcher = wrapAssertion(util, name, function (...args) {
      return matchersOf(group)[name].apply(this, args);
    });
    addMethod(Assertion.prototype, name, matcher);
  }
}
