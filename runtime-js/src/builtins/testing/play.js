// Runs what was collected: hooks and tests one after the other, each within its limit. Results go to Rust as they come.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { limited, places, stopped, takeExit, takeFault, tell } from 'lmthing:internal/native/testing';
import { current, loadedExpect, setCurrent, settings } from 'lmthing:internal/testing/state';
import { Fixtures } from './fixtures.js';
import { beginToPlay, collect, hinted, root } from './collect.js';

// Tests may fake what tells the time.
const now = performance.now.bind(performance);

/** The full names of tests that did not pass: of their snapshots nothing is known. */
const unfinished = [];

const titlesOf = (task) => (task.parent ? [...titlesOf(task.parent), task.title] : []);
const tasksOf = (suite) => suite.tasks.flatMap((task) => (task.kind === 'suite' ? [task, ...tasksOf(task)] : [task]));
/** An option of a task, or of the nearest suite around it that has it. */
const inherited = (task, name) => (task ? task.options[name] ?? inherited(task.parent, name) : undefined);

/** A failure as Rust takes it. */
function failure(error, context) {
  let diff;
  try {
    if (error !== null && typeof error === 'object' && ('expected' in error || 'actual' in error || 'diff' in error)) diff = importBuiltin('lmthing:internal/testing/display').describeDifference(error);
  } catch {
    // A value that cannot be shown has no difference to show.
  }
  return { error, context, diff };
}

/** The half that expects things, if something was expected. */
const half = () => loadedExpect();

/** Decides which tests run: by `only`, `skip`, `todo` and the filter. */
function choose() {
  const all = tasksOf(root);
  const isOnly = (task) => task.options.only || (task.parent ? isOnly(task.parent) : false);
  const only = all.filter((task) => task.options.only);
  if (only.length > 0 && settings.isCi) {
    const error = new Error(`${only[0].kind === 'test' ? 'test' : 'describe'}.only in a file of a CI run: the other tests would not be run`);
    tell('error', failure(hinted(at(error, only[0]), 'take .only away, or run without CI=true')));
  }
  for (const task of all.filter(({ kind }) => kind === 'test')) {
    task.mode = 'run';
    const { filter } = settings;
    const names = titlesOf(task);
    if (filter !== undefined && ![' > ', ' '].some((between) => names.join(between).includes(filter))) task.mode = 'filtered';
    else if (inherited(task, 'todo') || (!task.fn && !inherited(task, 'skip'))) task.mode = 'todo';
    else if (inherited(task, 'skip')) task.mode = 'skipped';
    else if (only.length > 0 && !isOnly(task)) task.mode = 'skipped';
  }
  return all;
}

/** Gives an error the place at which a task is defined. */
function at(error, task) {
  Object.defineProperty(error, 'stack', { value: `${error.name}: ${error.message}\n${task.stack.split('\n').filter((line) => /^\s+at /.test(line)).join('\n')}`, configurable: true, writable: true });
  return error;
}

const runs = (task) => (task.kind === 'test' ? task.mode === 'run' : task.tasks.some(runs));

/** Runs everything, then calls `done`. */
export const play = (done) => void playAll().catch((error) => tell('error', failure(error))).then(done);

async function playAll() {
  await collect(async (suite) => {
    const { errors } = await call(suite.fn, [], settings.timeout, 'describe', { name: titlesOf(suite).join(' > ') });
    errors.forEach((error) => tell('error', failure(error, `describe ${titlesOf(suite).join(' > ')}`)));
  });
  beginToPlay();
  const all = choose();
  const found = places(all.map(({ stack }) => stack));
  all.forEach((task, index) => void (task.place = found[index]));
  if (all.every(({ kind }) => kind === 'suite')) {
    tell('error', failure(hinted(new Error('no test was found in this file'), "write one: test('greets', async () => { … })")));
  }
  await playSuite(root);
  const allRan = all.every(({ mode, options }) => mode !== 'filtered' && !options.only) && !stopped();
  if (half()) {
    try {
      tell('file', await half().afterFile({ allRan, unfinished }));
    } catch (error) {
      tell('error', failure(error));
    }
  }
}

async function playSuite(suite, why) {
  if (!why && runs(suite)) why = await beforeSuite(suite);
  const entered = !why && runs(suite);
  for (const task of suite.tasks) {
    if (task.kind === 'suite') await playSuite(task, why);
    else if (task.mode === 'run' && !why && !stopped()) await playTest(task);
    else leaveOut(task, why);
  }
  if (entered || suite.cleanups?.length) await afterSuite(suite);
}

/** Runs the hooks before a suite; gives why its tests cannot run, if so. */
async function beforeSuite(suite) {
  suite.cleanups = [];
  for (const { fn, timeout } of suite.hooks.beforeAll) {
    const { errors, value } = await call(fn, [], timeout ?? settings.timeout, 'beforeAll', { name: titlesOf(suite).join(' > ') });
    if (typeof value === 'function') suite.cleanups.push(value);
    if (errors.length > 0) {
      errors.forEach((error) => tell('error', failure(error, hookOf('beforeAll', suite))));
      return 'beforeAll failed';
    }
  }
  return undefined;
}

async function afterSuite(suite) {
  const hooks = [...suite.cleanups.map((fn) => ({ fn })), ...suite.hooks.afterAll].reverse();
  for (const { fn, timeout } of hooks) {
    const { errors } = await call(fn, [], timeout ?? settings.timeout, 'afterAll', { name: titlesOf(suite).join(' > ') });
    errors.forEach((error) => tell('error', failure(error, hookOf('afterAll', suite))));
  }
}

const hookOf = (name, suite) => (suite.parent ? `${name} of ${titlesOf(suite).join(' > ')}` : name);

/** Calls a function of the author's within a limit; gives what it threw and what it returned. */
async function call(fn, args, timeout, what, { name }) {
  tell('begin', { name, limit: timeout });
  const answer = await limited(fn, args, timeout, what);
  const exit = takeExit();
  if (answer.thrown) return { errors: answer.thrown };
  return { errors: exit ? [exit] : [], value: answer.value };
}

function leaveOut(task, why) {
  unfinished.push(titlesOf(task).join(' > '));
  const state = task.mode === 'todo' ? 'todo' : 'skipped';
  const note = task.mode === 'run' ? why ?? '--bail' : task.mode === 'filtered' ? '--filter' : undefined;
  tell('test', { ancestors: titlesOf(task.parent), title: task.title, state, place: task.place, note, failures: [] });
}

const chain = (suite) => (suite ? [...chain(suite.parent), suite] : []);

async function playTest(task) {
  const { repeat = 1, retry = 0 } = { repeat: inherited(task, 'repeat'), retry: inherited(task, 'retry') };
  const need = inherited(task, 'need') ?? repeat;
  const began = now();
  tell('start', { name: titlesOf(task).join(' > ') });
  const failures = [];
  let passed = 0;
  let note;
  for (let index = 0; index < repeat; index++) {
    let attempt;
    for (let again = 0; again <= retry; again++) {
      attempt = await playOnce(task, index * (retry + 1) + again, again > 0);
      if (attempt.failures.length === 0 || attempt.isSkipped) break;
    }
    if (attempt.isSkipped) {
      unfinished.push(titlesOf(task).join(' > '));
      const why = typeof attempt.note === 'string' ? attempt.note : undefined;
      tell('test', { ancestors: titlesOf(task.parent), title: task.title, state: 'skipped', place: task.place, note: why, failures: [] });
      return;
    }
    if (attempt.failures.length === 0) passed++;
    const which = repeat > 1 ? `repetition ${index + 1} of ${repeat}` : undefined;
    failures.push(...attempt.failures.map((one) => ({ ...one, context: [which, one.context].filter(Boolean).join(', ') || undefined })));
  }
  const isGood = passed >= need;
  if (!isGood) unfinished.push(titlesOf(task).join(' > '));
  if (repeat > 1) note = `${passed} of ${repeat} passed${need < repeat ? `, ${need} needed` : ''}`;
  const took = now() - began;
  const state = isGood ? 'passed' : 'failed';
  tell('test', { ancestors: titlesOf(task.parent), title: task.title, state, place: task.place, took, note, failures: isGood ? [] : failures });
}

class Skipped extends Error {}

/** One attempt: hooks, the test, hooks. */
async function playOnce(task, attempt, isRetry) {
  const name = titlesOf(task).join(' > ');
  const test = { name, attempt, isRetry, context: {}, finished: [], failed: [] };
  const timeout = inherited(task, 'timeout') ?? settings.timeout;
  const controller = new AbortController();
  const failures = [];
  let skipped;
  const step = async (fn, args, limit, what) => {
    const { errors, value } = await call(fn, args, limit, what, test);
    for (const error of errors) {
      if (error instanceof Skipped) skipped = error;
      else failures.push(failure(error, what === 'the test' ? undefined : what));
    }
    return { isOk: errors.length === 0, value };
  };
  // What was expected softly, of promises nobody awaited, how often: told once.
  const expected = async () => (half() ? (await half().afterTest(test)).map((error) => failure(error)) : []);
  const given = contextOf(task, test, controller.signal);
  tell('attempt', {});
  setCurrent(test);
  half()?.beforeTest(test);
  const suites = chain(task.parent);
  const cleanups = [];
  let isReady = true;
  for (const { fn, timeout: own } of suites.flatMap(({ hooks }) => hooks.beforeEach)) {
    const { isOk, value } = await step(fn, [given], own ?? settings.timeout, 'beforeEach');
    if (typeof value === 'function') cleanups.push(value);
    isReady = isOk;
    if (!isOk) break;
  }
  const fixtures = new Fixtures(inherited(task, 'fixtures'), given);
  if (isReady && inherited(task, 'fixtures')) isReady = (await step(() => fixtures.makeFor(task.fn), [], settings.timeout, 'a fixture')).isOk;
  if (isReady) await playBody(task, given, timeout, { step, expected }, failures);
  for (const cleanup of fixtures.cleanups) await step(cleanup, [], settings.timeout, 'a fixture');
  for (const fn of cleanups.reverse()) await step(fn, [given], settings.timeout, 'beforeEach');
  for (const { fn, timeout: own } of suites.reverse().flatMap(({ hooks }) => [...hooks.afterEach].reverse())) {
    await step(fn, [given], own ?? settings.timeout, 'afterEach');
  }
  const last = [...test.finished.reverse().map((fn) => [fn, 'onTestFinished']), ...(failures.length > 0 ? test.failed.map((fn) => [fn, 'onTestFailed']) : [])];
  for (const [fn, what] of last) await step(fn, [given], settings.timeout, what);
  failures.push(...(await expected()));
  // Whatever the test has made of it.
  const fault = takeFault();
  if (fault && failures.length === 0) failures.push(failure(fault));
  setCurrent(undefined);
  controller.abort();
  return { failures, isSkipped: skipped !== undefined && failures.length === 0, note: skipped?.message };
}

/** The test itself; one that is to fail does well to. */
async function playBody(task, given, timeout, { step, expected }, failures) {
  const before = failures.length;
  await step(task.fn, [given], timeout, 'the test');
  failures.push(...(await expected()));
  if (!inherited(task, 'fails')) return;
  const isOk = failures.length === before;
  failures.length = before;
  if (isOk) failures.push(failure(at(new Error('the test is marked with .fails, and passed'), task)));
}

/** What a test is called with. */
function contextOf(task, test, signal) {
  return {
    task: { name: task.title, fullName: test.name, file: { filepath: settings.file }, type: 'test', mode: 'run' },
    signal,
    get expect() {
      return globalExpect();
    },
    onTestFinished: (fn) => void test.finished.push(fn),
    onTestFailed: (fn) => void test.failed.push(fn),
    skip: (condition, note) => {
      if (condition === false) return;
      throw new Skipped(typeof condition === 'string' ? condition : note);
    },
  };
}

let globalExpect = () => undefined;
/** Tells how a test gets at `expect`. */
export const setGlobalExpect = (get) => void (globalExpect = get);

const within = (what) => {
  const test = current();
  if (!test) throw new Error(`${what} can only be called within a test`);
  return test;
};

/** Has a function called when the running test is over. */
export const onTestFinished = (fn) => void within('onTestFinished').finished.push(fn);
/** Has a function called when the running test has failed. */
export const onTestFailed = (fn) => void within('onTestFailed').failed.push(fn);
