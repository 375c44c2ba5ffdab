// `node:assert`, with the failure messages of Node 20.
import { inspect } from 'lmthing:internal/inspect';
import { AssertionError } from '../assert/assertion-error.js';
import { callSource } from '../assert/call-source.js';
import { CallTracker } from '../assert/call-tracker.js';
import { expectations, raise } from '../assert/expectations.js';
import { isDeepEqual, isDeepStrictEqual } from '../shared/deep-equal.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const { doesNotReject, doesNotThrow, rejects, throws } = expectations;

function checkTruth(from, values) {
  const [value, message] = values;
  if (value) return;
  if (message instanceof Error) throw message;
  let text = message;
  if (values.length === 0) text = 'No value argument passed to `assert.ok()`';
  else if (message === undefined || message === null) {
    const place = {};
    Error.captureStackTrace(place, from);
    const source = callSource(place);
    text = source === undefined ? undefined : `The expression evaluated to a falsy value:\n\n  ${source}\n`;
  }
  const error = new AssertionError({ actual: value, expected: true, message: text, operator: '==', stackStartFn: from });
  throw Object.assign(error, { generatedMessage: message === undefined || message === null });
}

function assert(...values) {
  checkTruth(assert, values);
}
function ok(...values) {
  checkTruth(ok, values);
}

function checkBoth(count) {
  if (count >= 2) return;
  throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified');
}

/** A comparison function; `operator` is for its error. */
function comparison(name, holds, operator = name) {
  const compare = {
    [name](actual, expected, message) {
      checkBoth(arguments.length);
      if (!holds(actual, expected)) raise({ actual, expected, message, operator, stackStartFn: compare });
    },
  }[name];
  return compare;
}

// eslint-disable-next-line eqeqeq
const isLooselyEqual = (a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b));
const not = (holds) => (a, b) => !holds(a, b);
const equal = comparison('equal', isLooselyEqual, '==');
const notEqual = comparison('notEqual', not(isLooselyEqual), '!=');
const strictEqual = comparison('strictEqual', Object.is);
const notStrictEqual = comparison('notStrictEqual', not(Object.is));
const deepEqual = comparison('deepEqual', isDeepEqual);
const notDeepEqual = comparison('notDeepEqual', not(isDeepEqual));
const deepStrictEqual = comparison('deepStrictEqual', isDeepStrictEqual);
const notDeepStrictEqual = comparison('notDeepStrictEqual', not(isDeepStrictEqual));

function checkMatch(string, regexp, message, from, wanted) {
  if (!(regexp instanceof RegExp)) throw invalidArgumentType('regexp', 'an instance of RegExp', regexp);
  const isText = typeof string === 'string';
  if (isText && regexp.test(string) === wanted) return;
  if (message instanceof Error) throw message;
  const verb = wanted ? 'The input did not match' : 'The input was expected to not match';
  const reason = isText
    ? `${verb} the regular expression ${inspect(regexp)}. Input:\n\n${inspect(string)}\n`
    : `The "string" argument must be of type string. Received type ${typeof string} (${inspect(string)})`;
  const error = new AssertionError({ actual: string, expected: regexp, message: message || reason, operator: from.name, stackStartFn: from });
  throw Object.assign(error, { generatedMessage: !message });
}

function match(string, regexp, message) {
  checkMatch(string, regexp, message, match, true);
}
function doesNotMatch(string, regexp, message) {
  checkMatch(string, regexp, message, doesNotMatch, false);
}

function fail(...values) {
  let [actual, expected, message, operator = 'fail'] = values;
  const isBare = values.length <= 1 && (actual === undefined || actual === null);
  if (isBare) message = 'Failed';
  else if (values.length === 1) [actual, message] = [undefined, actual];
  else if (values.length === 2) operator = '!=';
  if (message instanceof Error) throw message;
  const error = new AssertionError({ ...(message === undefined ? {} : { message }), actual, expected, operator, stackStartFn: fail });
  if (isBare) error.generatedMessage = true;
  throw error;
}

function ifError(error) {
  if (error === null || error === undefined) return;
  const isNamed = typeof error === 'object' && typeof error.message === 'string';
  const text = !isNamed ? inspect(error) : error.message === '' && error.constructor ? error.constructor.name : error.message;
  const message = `ifError got unwanted exception: ${text}`;
  throw new AssertionError({ actual: error, expected: null, message, operator: 'ifError', stackStartFn: ifError });
}

function strict(...values) {
  checkTruth(strict, values);
}

const functions = { AssertionError, CallTracker, deepEqual, deepStrictEqual, doesNotMatch, doesNotReject, doesNotThrow, equal, fail, ifError, match, notDeepEqual, notDeepStrictEqual, notEqual, notStrictEqual, ok, rejects, strict, strictEqual, throws };
Object.assign(assert, functions);
Object.assign(strict, functions, { deepEqual: deepStrictEqual, equal: strictEqual, notDeepEqual: notDeepStrictEqual, notEqual: notStrictEqual });

export { AssertionError, assert as default, CallTracker, deepEqual, deepStrictEqual, doesNotMatch, doesNotReject, doesNotThrow, equal, fail, ifError, match, notDeepEqual, notDeepStrictEqual, notEqual, notStrictEqual, ok, rejects, strict, strictEqual, throws };
