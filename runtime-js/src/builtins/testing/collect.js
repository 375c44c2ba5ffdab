// Collects suites, tests and hooks in source order. Functions passed to `describe` run when the file is loaded.
import { settings } from 'lmthing:internal/testing/state';
import { push } from './primordials.js';
import { readFixtures } from './fixtures.js';
import { formatTitle, rowsOf } from './titles.js';

const HOOKS = ['beforeAll', 'afterAll', 'beforeEach', 'afterEach'];
const OPTIONS = ['timeout', 'repeat', 'need', 'retry', 'repeats', 'skip', 'only', 'todo', 'fails', 'concurrent', 'sequential', 'tags', 'meta'];

/** The root suite has no title. */
function makeSuite(title, parent, options, stack) {
  const hooks = Object.fromEntries(HOOKS.map((name) => [name, []]));
  return { kind: 'suite', title, parent, options, stack, hooks, tasks: [] };
}

/** Everything outside of any `describe`. */
export const root = makeSuite('', undefined, {}, '');

let suite = root;
let isPlaying = false;

/** Ends the collection. */
export const beginToPlay = () => void (isPlaying = true);

function checkCollecting(what) {
  if (!settings) {
    throw hinted(new Error(`${what} is for tests, and this file is not run as one`), 'tests are run by: lmthing test FILE (named NAME.test.lmt.mjs)');
  }
  if (isPlaying) throw new Error(`${what} cannot be called once tests are running: call it at the top of the file or within describe`);
}

/** An error with a hint for its diagnostic. */
export function hinted(error, hint) {
  Object.defineProperty(error, 'lmthing:hint', { value: hint, configurable: true });
  return error;
}

const stackHere = () => new Error().stack;

/** Parses `(title, fn?, options | timeout?)` or `(title, options, fn)`. */
function readArguments(what, [title, second, third]) {
  if (typeof title === 'function') title = title.name;
  if (typeof title !== 'string') throw new TypeError(`${what}: the title must be a string, got ${title === null ? 'null' : typeof title}`);
  const [fn, options] = typeof second === 'function' || second === undefined ? [second, third] : [third, second];
  if (fn !== undefined && typeof fn !== 'function') throw new TypeError(`${what} '${title}': what runs must be a function, got ${typeof fn}`);
  return { title, fn, options: readOptions(`${what} '${title}'`, options) };
}

function readOptions(what, options) {
  if (options === undefined || options === null) return {};
  if (typeof options === 'number') return { timeout: checkNumber(what, 'timeout', options, 0) };
  if (typeof options !== 'object') throw new TypeError(`${what}: the options must be an object or a timeout in milliseconds, got ${typeof options}`);
  for (const name of Object.keys(options)) {
    if (!OPTIONS.includes(name)) throw hinted(new TypeError(`${what} has no option '${name}'`), `known are ${OPTIONS.slice(0, 4).join(', ')}, skip, only, todo, fails`);
  }
  const read = { ...options };
  if (read.timeout !== undefined) checkNumber(what, 'timeout', read.timeout, 0);
  for (const name of ['repeat', 'need', 'retry', 'repeats']) {
    if (read[name] === undefined) continue;
    checkNumber(what, name, read[name], name === 'repeat' || name === 'need' ? 1 : 0);
    if (!Number.isInteger(read[name])) throw new RangeError(`${what}: ${name} must be a whole number, got ${read[name]}`);
  }
  // Vitest's option for additional repetitions.
  if (read.repeats !== undefined) read.repeat ??= read.repeats + 1;
  return read;
}

function checkNumber(what, name, value, least) {
  if (typeof value === 'number' && value >= least) return value;
  throw new TypeError(`${what}: ${name} must be a number from ${least} on, got ${typeof value === 'number' ? value : typeof value}`);
}

function addTest(what, flags, args) {
  checkCollecting(what);
  const { title, fn, options } = readArguments(what, args);
  push(suite.tasks, { kind: 'test', title, fn, parent: suite, options: { ...options, ...flags }, stack: stackHere() });
}

function addSuite(what, flags, args) {
  checkCollecting(what);
  const { title, fn, options } = readArguments(what, args);
  const inner = makeSuite(title, suite, { ...options, ...flags }, stackHere());
  push(suite.tasks, Object.assign(inner, { fn }));
}

/** Runs the functions of all suites in order; `callWithin` calls each, and may await it. */
export async function collect(callWithin) {
  await collectFrom(root, callWithin);
  suite = root;
}

async function collectFrom(outer, callWithin) {
  for (const task of outer.tasks) {
    if (task.kind !== 'suite') continue;
    suite = task;
    if (task.fn) await callWithin(task);
    await collectFrom(task, callWithin);
  }
}

/** `test` or `describe` with its modifiers, in any order: `test.only.each`. */
function chainable(what, add) {
  const make = (flags) => {
    const define = (...args) => add(what, flags, args);
    const withFlag = (name) => () => make({ ...flags, [name]: true });
    const getters = Object.fromEntries(['skip', 'only', 'todo', 'fails', 'concurrent', 'sequential', 'shuffle'].map((name) => [name, withFlag(name)]));
    for (const [name, get] of Object.entries(getters)) Object.defineProperty(define, name, { get, enumerable: true });
    define.skipIf = (condition) => (condition ? define.skip : define);
    define.runIf = (condition) => (condition ? define : define.skip);
    // Fixtures.
    if (what === 'test') define.extend = (...given) => make({ ...flags, fixtures: { ...flags.fixtures, ...readFixtures(given) } });
    const perRow = (rows, bind) => (title, ...rest) =>
      rows.forEach((row, index) => {
        const bound = rest.map((value) => (typeof value === 'function' ? bind(value, row) : value));
        add(what, flags, [typeof title === 'string' ? formatTitle(title, row, index) : title, ...bound]);
      });
    define.each = (table, ...values) => perRow(rowsOf(table, values), (fn, row) => () => fn(...row));
    // `for` passes the row unchanged, followed by the test context; titles are formatted like those of `each`.
    define.for = (table, ...values) => {
      const rows = rowsOf(table, values);
      const whole = Array.isArray(table?.raw) ? rows.map(([row]) => row) : [...table];
      return perRow(rows, (fn, row) => (context) => fn(whole[rows.indexOf(row)], context));
    };
    return define;
  };
  return make({});
}

export const test = chainable('test', addTest);
export const describe = chainable('describe', addSuite);

const hook = (name) => (fn, timeout) => {
  checkCollecting(name);
  if (typeof fn !== 'function') throw new TypeError(`${name}: what runs must be a function, got ${fn === null ? 'null' : typeof fn}`);
  push(suite.hooks[name], { fn, timeout: timeout === undefined ? undefined : checkNumber(name, 'timeout', timeout?.timeout ?? timeout, 0) });
};

/** Unsupported hooks of Vitest: throw on use, not on import. */
const notOffered = (name, instead) => () => {
  throw hinted(new Error(`${name} is not offered`), `use ${instead}`);
};
export const aroundAll = notOffered('aroundAll', 'beforeAll and afterAll');
export const aroundEach = notOffered('aroundEach', 'beforeEach and afterEach');

export const beforeAll = hook('beforeAll');
export const afterAll = hook('afterAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');

// Vitest also has them on `test`, for the results of `test.extend`.
Object.assign(test, { describe, suite: describe, beforeAll, afterAll, beforeEach, afterEach });
