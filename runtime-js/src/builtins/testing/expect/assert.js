// chai's `assert` interface, and plugin support.
import { assert } from 'chai/assert';
import { Assertion, AssertionError, chaiExpect, config, rest, util } from 'lmthing:internal/testing/expect';

export { Assertion, AssertionError, assert, chaiExpect as expect, config, util };

const used = new Set();

/** Installs a plugin once. */
export function use(plugin) {
  // The plugin may overwrite existing assertions.
  rest.load();
  const chai = { Assertion, AssertionError, assert, config, expect: chaiExpect, use, util };
  if (!used.has(plugin)) plugin(chai, util);
  used.add(plugin);
  return chai;
}
