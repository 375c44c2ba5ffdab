// chai as a whole: its interface `assert`, and what plugins for it are given.
import { assert } from 'chai/assert';
import { Assertion, AssertionError, chaiExpect, config, rest, util } from 'lmthing:internal/testing/expect';

export { Assertion, AssertionError, assert, chaiExpect as expect, config, util };

const used = new Set();

/** Has a plugin add to chai, once. */
export function use(plugin) {
  // It may change what is there.
  rest.load();
  const chai = { Assertion, AssertionError, assert, config, expect: chaiExpect, use, util };
  if (!used.has(plugin)) plugin(chai, util);
  used.add(plugin);
  return chai;
}
