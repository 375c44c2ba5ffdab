// Vitest's matchers on the assertion prototype. chai's own (`.to.equal`) are behind it, defined on first access.
import { Assertion, AssertionError, config, expect as chaiExpect, rest, util } from 'chai';
import { ChaiStyleAssertions, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import { importBuiltin } from 'lmthing:internal/native/modules';

const { flag } = util;
const chai = { Assertion, AssertionError, expect: chaiExpect, util };

// Unknown names reach `behind`; a proxy for every assertion would be slow.
config.useProxy = false;

/** Defines a matcher on the prototype, like chai's `addMethod`; on other targets, the plain function. */
function addMethod(target, name, method) {
  if (target !== Assertion.prototype) {
    target[name] = method;
    return;
  }
  target[name] = function matcher(...args) {
    if (!flag(this, 'lockSsfi')) flag(this, 'ssfi', matcher);
    const result = method.apply(this, args);
    return result === undefined ? this : result;
  };
}

// Vitest's changes to chai's own assertions.
const overwrites = [];
const tools = { ...util, addMethod, overwriteMethod: (...change) => void overwrites.push(change) };

util.addProperty(Assertion.prototype, 'not', function () {
  flag(this, 'negate', true);
});
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) plugin(chai, tools);

/** `.resolves` and `.rejects` locate failures at the matcher call: a property access has no position in the stack. */
function placed(name) {
  const { get } = Object.getOwnPropertyDescriptor(Assertion.prototype, name);
  return function () {
    const promised = get.call(this);
    const error = flag(this, 'error');
    const outer = new Proxy(promised, {
      get(target, key) {
        const found = Reflect.get(target, key);
        if (typeof found !== 'function') return found instanceof Assertion ? outer : found;
        return (...args) => {
          error.stack = new Error(error.message).stack;
          return found(...args);
        };
      },
    });
    return outer;
  };
}
for (const name of ['resolves', 'rejects'])
  Object.defineProperty(Assertion.prototype, name, { get: placed(name), configurable: true });

let isCompleting = false;
let more;

/** Defines chai's own assertions once, without replacing existing ones. */
function complete() {
  if (more) return more;
  isCompleting = true;
  const known = Object.getOwnPropertyDescriptors(Assertion.prototype);
  Assertion.addMethod = (name, method) => addMethod(Assertion.prototype, name, method);
  more = importBuiltin('lmthing:internal/testing/chai');
  overwrites.forEach((change) => util.overwriteMethod(...change));
  ChaiStyleAssertions(chai, tools);
  Object.defineProperties(Assertion.prototype, known);
  isCompleting = false;
  return more;
}
rest.load = complete;

/** Properties that are read of any value, and chai's storage of chainable methods. */
const NEVER_THERE = new Set([...config.proxyExcludedKeys, '__methods']);

const behind = new Proxy(Object.prototype, {
  get(target, name, assertion) {
    if (isCompleting || typeof name === 'symbol' || name in target || NEVER_THERE.has(name)) return Reflect.get(target, name, assertion);
    complete();
    if (name in Assertion.prototype) return Reflect.get(Assertion.prototype, name, assertion);
    return misspelt(name);
  },
});
Object.setPrototypeOf(Assertion.prototype, behind);

/** chai's error for an unknown property, with a suggestion. */
function misspelt(name) {
  config.useProxy = true;
  try {
    return util.proxify(Object.create(Assertion.prototype))[name];
  } finally {
    config.useProxy = false;
  }
}

export { Assertion, AssertionError, addMethod, chaiExpect, flag, util };
