// One attempt at a test: hooks, fixtures, test function, cleanup.
import { giveUpRuns, runsBegun, takeFault, tell } from 'lmthing:internal/native/testing';
import { current, loadedExpect, setCurrent, settings } from 'lmthing:internal/testing/state';
import { Fixtures } from './fixtures.js';
import { at, call, failure, inherited, nameOf } from './tasks.js';
import { flatMap, map, push, reversed, splice } from './primordials.js';

/** Errors thrown by `skip()`. The type of a thrown value cannot be trusted. */
const skips = new WeakSet();

const chain = (suite) => (suite ? [...chain(suite.parent), suite] : []);

/** `play` resolves when the attempt is over. */
export class Attempt {
  /** In order of occurrence. */
  failures = [];
  /** The argument of `skip()`. */
  skipped;
  #task;
  #test;
  #given;
  #fixtures;

  constructor(task, attempt, isRetry) {
    this.#task = task;
    this.#test = { name: nameOf(task), attempt, isRetry, context: {}, finished: [], failed: [] };
  }

  get isSkipped() {
    return this.skipped !== undefined && this.failures.length === 0;
  }

  async play() {
    const begun = runsBegun();
    const controller = new AbortController();
    this.#given = contextOf(this.#task, this.#test, controller.signal);
    this.#fixtures = new Fixtures(inherited(this.#task, 'fixtures'), this.#given);
    tell('attempt', {});
    setCurrent(this.#test);
    loadedExpect()?.beforeTest(this.#test);
    const suites = chain(this.#task.parent);
    const cleanups = [];
    if (await this.#before(suites, cleanups)) await this.#body();
    const { task } = this.#given;
    task.result = { state: this.failures.length > 0 ? 'fail' : 'pass', errors: map(this.failures, ({ error }) => error) };
    await this.#after(suites, cleanups);
    // Includes runs started by hooks: the next test must not be affected by them.
    giveUpRuns(begun, 'the test', this.failures.length === 0);
    await this.#takeExpected(this.failures.length);
    // Fails the test even if it caught the error.
    const fault = takeFault();
    if (fault && this.failures.length === 0) push(this.failures, failure(fault));
    setCurrent(undefined);
    controller.abort();
  }

  /** Calls a function of the author's; returns success and result. */
  async #step(fn, args, timeout, what) {
    const { errors, value } = await call(fn, args, timeout, what, this.#test.name);
    for (const error of errors) {
      if (skips.has(error)) this.skipped = error;
      else push(this.failures, failure(error, what === 'the test' ? undefined : what));
    }
    return { isOk: errors.length === 0, value };
  }

  /** Creates the fixtures that a function requests. */
  async #fixturesFor(fn) {
    if (!this.#fixtures.lacks(fn)) return true;
    return (await this.#step(() => this.#fixtures.makeFor(fn), [], undefined, 'a fixture')).isOk;
  }

  async #before(suites, cleanups) {
    if (!(await this.#fixturesFor(() => {}))) return false;
    for (const { fn, timeout } of flatMap(suites, ({ hooks }) => hooks.beforeEach)) {
      if (!(await this.#fixturesFor(fn))) return false;
      const { isOk, value } = await this.#step(fn, [this.#given], timeout, 'beforeEach');
      if (typeof value === 'function') push(cleanups, value);
      if (!isOk) return false;
    }
    return this.#fixturesFor(this.#task.fn);
  }

  /** The test function; inverts the result of tests that are expected to fail. */
  async #body() {
    const before = this.failures.length;
    await this.#step(this.#task.fn, [this.#given], inherited(this.#task, 'timeout'), 'the test');
    await this.#takeExpected(before);
    if (!inherited(this.#task, 'fails') || this.skipped) return;
    const isOk = this.failures.length === before;
    this.failures.length = before;
    if (isOk) push(this.failures, failure(at(new Error('the test is marked with .fails, and passed'), this.#task)));
  }

  /**
   * Failures of soft assertions, unawaited promises and assertion counts, reported once, before the error that ended
   * the test.
   */
  async #takeExpected(before) {
    const errors = (await loadedExpect()?.afterTest(this.#test)) ?? [];
    splice(this.failures, before, 0, ...map(errors, (error) => failure(error)));
  }

  async #after(suites, cleanups) {
    const hooks = flatMap(reversed(suites), ({ hooks }) => reversed(hooks.afterEach));
    for (const { fn, timeout } of hooks) {
      await this.#fixturesFor(fn);
      await this.#step(fn, [this.#given], timeout, 'afterEach');
    }
    for (const fn of reversed(cleanups)) await this.#step(fn, [this.#given], undefined, 'beforeEach');
    for (const cleanup of this.#fixtures.cleanups) await this.#step(cleanup, [], undefined, 'a fixture');
    const { finished, failed } = this.#test;
    for (const fn of reversed(finished)) await this.#step(fn, [this.#given], undefined, 'onTestFinished');
    if (this.failures.length === 0) return;
    for (const fn of failed) await this.#step(fn, [this.#given], undefined, 'onTestFailed');
  }
}

let globalExpect = () => undefined;
/** Sets how test contexts access `expect`. */
export const setGlobalExpect = (get) => void (globalExpect = get);

/** The argument of a test function. */
function contextOf(task, test, signal) {
  return {
    task: { name: task.title, fullName: test.name, file: { filepath: settings.file }, type: 'test', mode: 'run', meta: {}, suite: task.parent?.parent && { name: task.parent.title, type: 'suite' } },
    signal,
    get expect() {
      return globalExpect();
    },
    onTestFinished: (fn) => void push(test.finished, fn),
    onTestFailed: (fn) => void push(test.failed, fn),
    skip: (condition, note) => {
      if (condition === false) return;
      const skip = new Error(typeof condition === 'string' ? condition : note);
      skips.add(skip);
      throw skip;
    },
  };
}

function within(what) {
  const test = current();
  if (!test) throw new Error(`${what} can only be called within a test`);
  return test;
}

export const onTestFinished = (fn) => void push(within('onTestFinished').finished, fn);
export const onTestFailed = (fn) => void push(within('onTestFailed').failed, fn);
