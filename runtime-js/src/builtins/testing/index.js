// `lmthing/test`: what a test file imports (docs/testing.md). What expects things is large, and loaded when it is first used.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { createMockModel, run } from 'lmthing:internal/native/testing';
import {
  afterAll, afterEach, aroundAll, aroundEach, beforeAll, beforeEach, describe, onTestFailed, onTestFinished, setGlobalExpect, test,
} from 'lmthing:internal/testing/core';
import { loadedExpect, setExpect, settings } from 'lmthing:internal/testing/state';

const half = () => {
  if (!loadedExpect()) setExpect(importBuiltin('lmthing:internal/testing/expect'));
  return loadedExpect();
};

// Before any test, which may do to the globals what it likes, or expect something first where no stack is left.
if (settings) half();

let loadedMocks;
const mocks = () => (loadedMocks ??= importBuiltin('lmthing:internal/testing/mocks'));

/** What `get` gives, got when something is done with it; `target` is what it looks like until then. */
function later(target, get) {
  const given = (trap, rest) => {
    // A proxy stands before itself as receiver, and accessors want the thing itself.
    if (trap === 'get') return rest.slice(0, 1);
    return trap === 'set' ? rest.slice(0, 2) : rest;
  };
  const names = ['apply', 'construct', 'get', 'set', 'has', 'ownKeys', 'getPrototypeOf', 'defineProperty'];
  const traps = Object.fromEntries(names.map((trap) => [trap, (_, ...rest) => Reflect[trap](get(), ...given(trap, rest))]));
  // What the target itself does not have must seem changeable.
  traps.getOwnPropertyDescriptor = (_, name) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(get(), name);
    return descriptor && { ...descriptor, configurable: true };
  };
  return new Proxy(target, traps);
}

export const expect = later(() => {}, () => half().expect);
export const vi = later({}, () => mocks().vi);
export const chai = later({}, () => importBuiltin('lmthing:internal/testing/assert'));
export const assert = later(() => {}, () => chai.assert);
setGlobalExpect(() => expect);
export const fn = (...implementation) => mocks().fn(...implementation);


/** Says what a type is, which is looked at by `lmthing check` and never at run time. */
const anything = new Proxy(() => anything, { get: (_, name) => (name === 'then' ? undefined : anything) });
export const expectTypeOf = () => anything;
export const assertType = () => {};

export {
  afterAll, afterEach, aroundAll, aroundEach, beforeAll, beforeEach, createMockModel, describe, onTestFailed, onTestFinished, run, test,
  describe as suite, test as it, vi as vitest,
};
export default {
  afterAll, afterEach, aroundAll, aroundEach, assert, assertType, beforeAll, beforeEach, chai, createMockModel, describe, expect,
  expectTypeOf, fn, it: test, onTestFailed, onTestFinished, run, suite: describe, test, vi, vitest: vi,
};
