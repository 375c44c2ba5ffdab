// Matchers in modules that are loaded on first use; called with the assertion as `this`.
import { wrapAssertion } from '@vitest/expect';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { Assertion, addMethod, util } from './matchers.js';

const MATCHERS = {
  runs: ['toHaveCalledTool', 'toHaveCalledTools', 'toHaveSystem', 'toCost', 'toReuse'],
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

/** Loads the module of a group of matchers. */
export const matchersOf = (group) => (loaded[group] ??= importBuiltin(`lmthing:internal/testing/${group}`));

/** The module, if it was loaded. */
export const loadedMatchersOf = (group) => loaded[group];

for (const [group, names] of Object.entries(MATCHERS)) {
  for (const name of names) {
    const matcher = wrapAssertion(util, name, function (...args) {
      return matchersOf(group)[name].apply(this, args);
    });
    addMethod(Assertion.prototype, name, matcher);
  }
}
