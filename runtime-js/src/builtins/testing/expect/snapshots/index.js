// `toMatchSnapshot` and related matchers; called with the assertion as `this`.
import {
  equals, flag, iterableEquality, placeAt, recordAsyncExpect, runningTask, shown, subsetEquality,
} from 'lmthing:internal/testing/expect';
import { settings } from 'lmthing:internal/testing/state';
import { from, read, write } from './files.js';
import { bare, inline, serialized, unindented } from './format.js';
import { ask, compare, nextKey, note } from './state.js';

export { addSerializer } from './format.js';
export { beginAttempt, endFile } from './state.js';

const isObject = (value) => value !== null && typeof value === 'object';

/** The running test. Throws outside of a test, and for `.not`. */
function taskOf(assertion, matcher) {
  if (flag(assertion, 'negate')) throw new Error(`${matcher} cannot be used with "not"`);
  const task = runningTask();
  if (!task) throw new Error(`${matcher} can only be used within a test: a snapshot has the name of its test`);
  return task;
}

function mismatch(assertion, message, difference, hint) {
  const own = flag(assertion, 'message');
  const error = Object.assign(new Error(own ? `${own}: ${message}` : message), difference);
  if (hint) Object.defineProperty(error, 'lmthing:hint', { value: hint, configurable: true });
  return error;
}

/** `value` with its matched properties replaced by their asymmetric matchers. */
function checked(assertion, value, properties, key) {
  if (properties === undefined) return value;
  if (!isObject(properties)) throw new TypeError(`the properties of a snapshot must be an object, got ${shown(properties)}`);
  if (!isObject(value)) throw new TypeError('Received value must be an object when the matcher has properties');
  if (!equals(value, properties, [iterableEquality, subsetEquality])) {
    note(key, 'unmatched');
    throw mismatch(assertion, 'Snapshot properties mismatched', { actual: value, expected: properties });
  }
  return merged(value, properties);
}

function merged(value, properties) {
  if (Array.isArray(value) && Array.isArray(properties)) {
    return Object.assign(
      [...value],
      properties.map((one, index) => (isObject(value[index]) ? merged(value[index], one) : one)),
    );
  }
  if (!isObject(value) || !isObject(properties) || Array.isArray(value) || Array.isArray(properties)) return properties;
  if (properties.$$typeof) return properties;
  const changed = Object.keys(properties).map((key) => [
    key,
    key in value ? merged(value[key], properties[key]) : properties[key],
  ]);
  return { ...value, ...Object.fromEntries(changed) };
}

function matchKept(assertion, value, [first, second], matcher) {
  const task = taskOf(assertion, matcher);
  const [properties, hint] = typeof first === 'string' ? [undefined, first] : [first, second];
  const key = nextKey(task, hint);
  ask(key);
  const difference = compare(key, checked(assertion, value, properties, key));
  if (!difference) return;
  if (difference.expected !== undefined)
    throw mismatch(
      assertion,
      `Snapshot \`${key}\` mismatched`,
      difference,
      'if it has to be so, lmthing test --update renews it',
    );
  throw mismatch(
    assertion,
    `Snapshot \`${key}\` is missing, and none is written when CI=true. It would be:\n\n${difference.actual}`,
    {},
    'run the test without CI=true, and commit what it writes',
  );
}

function matchInline(assertion, value, [first, second, third], matcher) {
  const task = taskOf(assertion, matcher);
  const isText = typeof first === 'string';
  const [properties, given, hint] = isText ? [undefined, first, second] : [first, second, third];
  const key = nextKey(task, hint);
  const received = serialized(checked(assertion, value, properties, key));
  const expected = given === undefined ? '' : unindented(given);
  const isSame = expected.trim() === received.trim();
  note(`inline ${key}`, isSame ? 'matched' : 'unmatched');
  if (isSame) return;
  const pasted = `${matcher}(${isObject(properties) ? '…, ' : ''}${inline(received)})`;
  if (expected.trim() === '')
    throw mismatch(
      assertion,
      `the inline snapshot is empty. Inline snapshots are not written; this is to be pasted:\n\n${pasted}`,
      {},
    );
  throw mismatch(
    assertion,
    `Snapshot \`${key}\` mismatched`,
    { actual: bare(received), expected: bare(expected) },
    'inline snapshots are not written: if it has to be so, change it in the test',
  );
}

/** The error thrown by a function; a rejection is passed through. */
function thrownBy(assertion) {
  const value = assertion._obj;
  if (typeof value !== 'function') {
    if (flag(assertion, 'promise')) return value;
    throw new TypeError(`expected must be a function, received ${typeof value}`);
  }
  try {
    value();
  } catch (thrown) {
    return thrown;
  }
  throw mismatch(assertion, "snapshot function didn't throw", {});
}

/** `toMatchSnapshot(properties?, hint?)`, or `(hint)`. */
export function toMatchSnapshot(...args) {
  matchKept(this, this._obj, args, 'toMatchSnapshot');
}
export { toMatchSnapshot as matchSnapshot };

/** `toThrowErrorMatchingSnapshot(hint?)`. */
export function toThrowErrorMatchingSnapshot(...args) {
  taskOf(this, 'toThrowErrorMatchingSnapshot');
  matchKept(this, thrownBy(this), args, 'toThrowErrorMatchingSnapshot');
}

/** `toMatchInlineSnapshot(properties?, snapshot?, hint?)`. */
export function toMatchInlineSnapshot(...args) {
  matchInline(this, this._obj, args, 'toMatchInlineSnapshot');
}

/** `toThrowErrorMatchingInlineSnapshot(snapshot?, hint?)`. */
export function toThrowErrorMatchingInlineSnapshot(snapshot, hint) {
  taskOf(this, 'toThrowErrorMatchingInlineSnapshot');
  matchInline(this, thrownBy(this), [snapshot ?? '', hint], 'toThrowErrorMatchingInlineSnapshot');
}

/** `toMatchFileSnapshot(path, hint?)`: compares a text, or the snapshot form of another value, with a file. */
export function toMatchFileSnapshot(path, hint) {
  const task = taskOf(this, 'toMatchFileSnapshot');
  if (typeof path !== 'string' || path === '')
    throw new TypeError(`toMatchFileSnapshot: the path must be a string, got ${shown(path)}`);
  const here = flag(this, 'error') ?? new Error();
  const isSoft = flag(this, 'soft') && !flag(this, 'promise');
  const matched = (async () => matchFile(this, task, path, hint))().catch((error) => {
    throw placeAt(error, here);
  });
  return recordAsyncExpect(task, matched, 'expect(actual).toMatchFileSnapshot(path)', here, isSoft);
}

function matchFile(assertion, task, path, hint) {
  const file = from(settings.file, path);
  if (file === settings.snapshots)
    throw new TypeError(`toMatchFileSnapshot: ${path} is where the other snapshots of this test are`);
  const key = nextKey(task, hint);
  const value = assertion._obj;
  const received = typeof value === 'string' ? value.toWellFormed() : bare(serialized(value));
  const kept = read(file);
  const expected = received.includes('\r\n') ? kept : kept?.replace(/\r\n/g, '\n');
  const fate =
    expected === received
      ? 'matched'
      : settings.isCi && !settings.update
        ? 'unmatched'
        : expected === undefined
          ? 'written'
          : settings.update
            ? 'updated'
            : 'unmatched';
  note(`file ${file} ${key}`, fate);
  if (fate === 'written' || fate === 'updated') write(file, received);
  if (fate !== 'unmatched') return;
  if (expected === undefined)
    throw mismatch(
      assertion,
      `the snapshot file ${path} is missing, and none is written when CI=true`,
      {},
      'run the test without CI=true, and commit what it writes',
    );
  throw mismatch(
    assertion,
    `Snapshot \`${key}\` mismatched`,
    { actual: received, expected },
    'if it has to be so, lmthing test --update renews it',
  );
}
