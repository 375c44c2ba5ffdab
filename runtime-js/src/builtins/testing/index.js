// `lmthing/test`: what a test file imports (docs/testing.md). What expects things is large, and loaded when it is first used.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { createMockModel, run } from 'lmthing:internal/native/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, onTestFailed, onTestFinished, setGlobalExpect, test } from 'lmthing:internal/testing/core';
import { loadedExpect, setExpect } from 'lmthing:internal/testing/state';

const half = () => {
  if (!loadedExpect()) setExpect(importBuiltin('lmthing:internal/testing/expect'));
  return loadedExpect();
};

let loadedMocks;
const mocks = () => (loadedMocks ??= importBuiltin('lmthing:internal/testing/mocks'));

/** What `get` gives, got when something is done with it. */
function later(get) {
  const traps = Object.fromEntries(
    ['apply', 'construct', 'get', 'set', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'defineProperty'].map((trap) => [
      trap,
      // A proxy stands before itself as receiver, and accessors want the thing itself.
      (_, ...rest) => Reflect[trap](get(), ...(trap === 'get' ? rest.slice(0, 1) : trap === 'set' ? rest.slice(0, 2) : rest)),
    ]),
  );
  return new Proxy(function () {}, traps);
}

export const expect = later(() => half().expect);
export const vi = later(() => mocks().vi);
setGlobalExpect(() => expect);
export const fn = (...implementation) => mocks().fn(...implementation);

export { createMockModel, run, test, test as it, describe, describe as suite, beforeAll, afterAll, beforeEach, afterEach, onTestFailed, onTestFinished };
export default {
  createMockModel, run, test, it: test, describe, suite: describe, beforeAll, afterAll, beforeEach, afterEach, onTestFailed, onTestFinished, expect, vi, fn,
};
