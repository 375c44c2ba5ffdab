// `lmthing/test`, the import of test files (docs/guide/testing.md). The assertion half is large and loaded on first use.
import { judge } from 'lmthing/eval';
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

// Before any test, as tests may change globals or make their first assertion with an empty stack.
if (settings) half();

let loadedMocks;
const mocks = () => (loadedMocks ??= importBuiltin('lmthing:internal/testing/mocks'));

/** A proxy for the result of `get`, which is called on first use; `target` determines its type. */
function later(target, get) {
  const given = (trap, rest) => {
    // The default receiver is the proxy, but accessors need the real object.
    if (trap === 'get') return rest.slice(0, 1);
    return trap === 'set' ? rest.slice(0, 2) : rest;
  };
  const names = ['apply', 'construct', 'get', 'set', 'has', 'ownKeys', 'getPrototypeOf', 'defineProperty'];
  const traps = Object.fromEntries(names.map((trap) => [trap, (_, ...rest) => Reflect[trap](get(), ...given(trap, rest))]));
  // A proxy may report properties that its target lacks only as configurable.
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


/** Placeholder for types, which `lmthing check` reads and run-time code ignores. */
const anything = new Proxy(() => anything, { get: (_, name) => (name === 'then' ? undefined : anything) });
export const expectTypeOf = () => anything;
export const assertType = () => {};

export {
  afterAll, afterEach, aroundAll, aroundEach, beforeAll, beforeEach, createMockModel, describe, judge, onTestFailed, onTestFinished, run, test,
  describe as suite, test as it, vi as vitest,
};
export default {
  afterAll, afterEach, aroundAll, aroundEach, assert, assertType, beforeAll, beforeEach, chai, createMockModel, describe, expect,
  expectTypeOf, fn, it: test, judge, onTestFailed, onTestFinished, run, suite: describe, test, vi, vitest: vi,
};
