// `throws`, `rejects` and their opposites.
import { isDeepStrictEqual } from '../shared/deep-equal.js';
import { inspect } from 'lmthing:internal/inspect';
import { isNativeError, isPromise, isRegExp } from 'node:util/types';
import { invalidArgumentType, nodeError, received } from '../shared/errors.js';
import { AssertionError } from './assertion-error.js';

const NOTHING = Symbol('nothing was thrown');
const KINDS = 'of type function or an instance of Error, RegExp, or Object';

export function raise(details) {
  if (details.message instanceof Error) throw details.message;
  throw new AssertionError(details);
}

function thrownBy(fn) {
  if (typeof fn !== 'function') throw invalidArgumentType('fn', 'of type function', fn);
  try {
    fn();
  } catch (error) {
    return error;
  }
  return NOTHING;
}

const isThenable = (value) => isPromise(value) || (value !== null && typeof value === 'object' && typeof value.then === 'function' && typeof value.catch === 'function');

async function rejectionOf(given) {
  let promise = given;
  if (typeof given === 'function') {
    promise = given();
    if (!isThenable(promise)) {
      const got = received(promise).replace(' Received ', '');
      throw nodeError(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected instance of Promise to be returned from the "promiseFn" function but got ${got}.`);
    }
  } else if (!isThenable(given)) {
    throw invalidArgumentType('promiseFn', 'of type function or an instance of Promise', given);
  }
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return NOTHING;
}

/** Its name appears in the message. */
class Comparison {
  constructor(object, keys, actual = undefined) {
    for (const key of keys.filter((name) => name in object)) {
      const isMatch = typeof actual?.[key] === 'string' && isRegExp(object[key]) && object[key].test(actual[key]);
      this[key] = isMatch ? actual[key] : object[key];
    }
  }
}
Object.defineProperty(Comparison, 'name', { value: 'Comparison' });

function compareKeys(actual, expected, message, from) {
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push('name', 'message');
  else if (keys.length === 0) {
    const text = `The argument 'error' may not be an empty object. Received {}`;
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', text);
  }
  for (const key of keys) {
    const isMatch = typeof actual[key] === 'string' && isRegExp(expected[key]) && expected[key].test(actual[key]);
    if (isMatch || (key in actual && isDeepStrictEqual(actual[key], expected[key]))) continue;
    if (message) raise({ actual, expected, message, operator: from.name, stackStartFn: from });
    const sides = { actual: new Comparison(actual, keys), expected: new Comparison(expected, keys, actual) };
    const error = new AssertionError({ ...sides, operator: 'deepStrictEqual', stackStartFn: from });
    throw Object.assign(error, { actual, expected, operator: from.name });
  }
}

/** Why a validation function, class or expression does not accept the thrown value; undefined when it does. */
function refusal(actual, expected) {
  if (isRegExp(expected)) {
    const text = String(actual);
    return expected.test(text) ? undefined : `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`;
  }
  if (expected.prototype !== undefined && actual instanceof expected) return undefined;
  if (Object.prototype.isPrototypeOf.call(Error, expected)) {
    const head = `The error is expected to be an instance of "${expected.name}". Received `;
    if (!isNativeError(actual)) return `${head}"${inspect(actual, { depth: -1 })}"`;
    return `${head}"${actual.name}"\n\nError message:\n\n${actual.message}`;
  }
  const answer = expected.call({}, actual);
  if (answer === true) return undefined;
  const name = expected.name ? `"${expected.name}" ` : '';
  const caught = isNativeError(actual) ? `\n\nCaught error:\n\n${actual}` : '';
  return `The ${name}validation function is expected to return "true". Received ${inspect(answer)}${caught}`;
}

function compareThrown(actual, expected, message, from) {
  if (typeof expected !== 'function' && !isRegExp(expected)) {
    if (typeof actual === 'object' && actual !== null) return compareKeys(actual, expected, message, from);
    const error = new AssertionError({ actual, expected, message, operator: 'deepStrictEqual', stackStartFn: from });
    throw Object.assign(error, { operator: from.name });
  }
  const reason = refusal(actual, expected);
  if (reason === undefined) return undefined;
  if (message instanceof Error) throw message;
  const error = new AssertionError({ actual, expected, message: message || reason, operator: from.name, stackStartFn: from });
  throw Object.assign(error, { generatedMessage: !message });
}

function checkAmbiguous(actual, text) {
  const isObject = typeof actual === 'object' && actual !== null;
  if (isObject ? actual.message !== text : actual !== text) return;
  const what = isObject ? `error message "${actual.message}"` : `error "${actual}"`;
  const message = `The "error/message" argument is ambiguous. The ${what} is identical to the message.`;
  throw nodeError(TypeError, 'ERR_AMBIGUOUS_ARGUMENT', message);
}

function expectError(from, actual, kind, rest) {
  let [expected, message] = rest;
  if (typeof expected === 'string') {
    if (rest.length === 2) throw invalidArgumentType('error', KINDS, expected);
    checkAmbiguous(actual, expected);
    [expected, message] = [undefined, expected];
  } else if (expected !== undefined && expected !== null && typeof expected !== 'object' && typeof expected !== 'function') {
    throw invalidArgumentType('error', KINDS, expected);
  }
  if (actual === NOTHING) {
    const details = `${expected?.name ? ` (${expected.name})` : ''}${message ? `: ${message}` : '.'}`;
    raise({ actual: undefined, expected, operator: from.name, message: `Missing expected ${kind}${details}`, stackStartFn: from });
  }
  if (expected) compareThrown(actual, expected, message, from);
}

function matches(actual, expected) {
  if (isRegExp(expected)) return expected.test(String(actual));
  if (typeof expected !== 'function') throw invalidArgumentType('expected', 'of type function or an instance of RegExp', expected);
  if (expected.prototype !== undefined && actual instanceof expected) return true;
  return !Object.prototype.isPrototypeOf.call(Error, expected) && expected.call({}, actual) === true;
}

function expectNoError(from, actual, kind, rest) {
  if (actual === NOTHING) return;
  let [expected, message] = rest;
  if (typeof expected === 'string') [expected, message] = [undefined, expected];
  if (expected && !matches(actual, expected)) throw actual;
  const text = `Got unwanted ${kind}${message ? `: ${message}` : '.'}\nActual message: "${actual && actual.message}"`;
  raise({ actual, expected, operator: from.name, message: text, stackStartFn: from });
}

export const expectations = {
  throws(fn, ...rest) {
    expectError(expectations.throws, thrownBy(fn), 'exception', rest);
  },
  doesNotThrow(fn, ...rest) {
    expectNoError(expectations.doesNotThrow, thrownBy(fn), 'exception', rest);
  },
  async rejects(promise, ...rest) {
    expectError(expectations.rejects, await rejectionOf(promise), 'rejection', rest);
  },
  async doesNotReject(promise, ...rest) {
    expectNoError(expectations.doesNotReject, await rejectionOf(promise), 'rejection', rest);
  },
};
