// Runs the collected tests in sequence and reports results to Rust.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { giveUpRuns, places, runsBegun, stopped, takeExit, tell } from 'lmthing:internal/native/testing';
import { loadedExpect, settings } from 'lmthing:internal/testing/state';
import { Attempt } from './attempt.js';
import { beginToPlay, collect, hinted, root } from './collect.js';
import { at, call, failure, inherited, nameOf, tasksOf, reportErrors, titlesOf } from './tasks.js';
import { every, filter, forEach, join, map, push, reversed, some } from './primordials.js';

// Saved, as tests may fake the clock.
const now = performance.now.bind(performance);

/** Full names of tests that did not pass: their snapshots may not be obsolete. */
const unfinished = [];

/** Runs everything, then calls `done`. */
export const play = (done) => void playAll().catch((error) => tell('error', failure(error))).then(done);

async function playAll() {
  await collect(async (suite) => {
    const { errors } = await call(suite.fn, [], undefined, 'describe', nameOf(suite));
    reportErrors(errors, `describe ${nameOf(suite)}`);
  });
  beginToPlay();
  const all = tasksOf(root);
  choose(all);
  const found = places(map(all, ({ stack }) => stack));
  forEach(all, (task, index) => void (task.place = found[index]));
  if (every(all, ({ kind }) => kind === 'suite')) {
    reportErrors([hinted(new Error('no test was found in this file'), "write one: test('greets', async () => { … })")]);
  }
  const tests = filter(all, ({ kind }) => kind === 'test');
  tell('plan', { tests: map(tests, (task) => describeTest(task, 'skipped')) });
  await playSuite(root);
  reportErrors(filter([takeExit()], (exit) => exit));
  const allRan = every(all, ({ mode, options }) => mode !== 'filtered' && !options.only) && !stopped();
  // Obsolete snapshots are reported even if no assertion was made.
  const half = loadedExpect() ?? (settings.hasSnapshots && importBuiltin('lmthing:internal/testing/expect'));
  if (!half) return;
  // Loading a snapshot file runs its code.
  const { errors, value } = await call(() => half.afterFile({ allRan, unfinished }), [], undefined, 'looking through the snapshots', '');
  reportErrors(errors);
  if (value) tell('file', value);
}

/** Selects tests by `only`, `skip`, `todo` and the filter. */
function choose(all) {
  const isOnly = (task) => task.options.only || (task.parent ? isOnly(task.parent) : false);
  const only = filter(all, (task) => task.options.only);
  if (only.length > 0 && settings.isCi) {
    const error = new Error(`${only[0].kind === 'test' ? 'test' : 'describe'}.only in a file of a CI run: the other tests would not be run`);
    reportErrors([hinted(at(error, only[0]), 'take .only away, or run without CI=true')]);
  }
  const isFiltered = (task) =>
    settings.filter !== undefined && !some([' > ', ' '], (between) => join(titlesOf(task), between).includes(settings.filter));
  for (const task of filter(all, ({ kind }) => kind === 'test')) {
    if (isFiltered(task)) task.mode = 'filtered';
    else if (inherited(task, 'todo') || (!task.fn && !inherited(task, 'skip'))) task.mode = 'todo';
    else if (inherited(task, 'skip') || (only.length > 0 && !isOnly(task))) task.mode = 'skipped';
    else task.mode = 'run';
    const [repeat, need] = [inherited(task, 'repeat') ?? 1, inherited(task, 'need') ?? 1];
    if (need > repeat) {
      reportErrors([at(new RangeError(`test '${task.title}': need is ${need}, and repeat only ${repeat}`), task)]);
      if (task.mode === 'run') task.mode = 'skipped';
    }
  }
}

const runs = (task) => (task.kind === 'test' ? task.mode === 'run' : some(task.tasks, (inner) => runs(inner)));

async function playSuite(suite, why) {
  const enters = !why && runs(suite) && !stopped();
  const begun = runsBegun();
  if (enters) why = await beforeSuite(suite);
  for (const task of suite.tasks) {
    if (task.kind === 'suite') await playSuite(task, why);
    else if (task.mode === 'run' && !why && !stopped()) await playTest(task);
    else leaveOut(task, why);
  }
  if (!enters) return;
  await afterSuite(suite);
  giveUpRuns(begun, suite.parent ? `describe ${nameOf(suite)}` : 'the file', !why);
}

/** Runs the `beforeAll` hooks of a suite; returns the reason if its tests cannot run. */
async function beforeSuite(suite) {
  suite.cleanups = [];
  for (const { fn, timeout } of suite.hooks.beforeAll) {
    const { errors, value } = await call(fn, [], timeout, 'beforeAll', nameOf(suite));
    if (typeof value === 'function') push(suite.cleanups, value);
    reportErrors(errors, hookOf('beforeAll', suite));
    if (errors.length > 0) return 'beforeAll failed';
  }
  return undefined;
}

async function afterSuite(suite) {
  const cleanups = reversed(map(suite.cleanups, (fn) => ({ fn })));
  for (const { fn, timeout } of [...reversed(suite.hooks.afterAll), ...cleanups]) {
    const { errors } = await call(fn, [], timeout, 'afterAll', nameOf(suite));
    reportErrors(errors, hookOf('afterAll', suite));
  }
}

const hookOf = (name, suite) => (suite.parent ? `${name} of ${nameOf(suite)}` : name);

/** The description of a test for Rust. */
const describeTest = (task, state, rest) => ({ ancestors: titlesOf(task.parent), title: task.title, state, place: task.place, failures: [], ...rest });

/** Reports the result of a test. */
function reportTest(task, state, rest) {
  if (state !== 'passed') push(unfinished, nameOf(task));
  tell('test', describeTest(task, state, rest));
}

function leaveOut(task, why) {
  const note = task.mode === 'run' ? why ?? '--bail' : task.mode === 'filtered' ? '--filter' : undefined;
  reportTest(task, task.mode === 'todo' ? 'todo' : 'skipped', { note });
}

async function playTest(task) {
  const repeat = inherited(task, 'repeat') ?? 1;
  const need = inherited(task, 'need') ?? repeat;
  const began = now();
  tell('start', { name: nameOf(task) });
  const failures = [];
  let passed = 0;
  for (let index = 0; index < repeat; index++) {
    const attempt = await playWithRetries(task, index);
    if (attempt.isSkipped && failures.length === 0) {
      const { message } = attempt.skipped;
      return reportTest(task, 'skipped', { note: message || undefined });
    }
    if (attempt.failures.length === 0 && !attempt.isSkipped) passed++;
    const which = repeat > 1 ? `repetition ${index + 1} of ${repeat}` : undefined;
    const context = (one) => join(filter([which, one.context], (part) => part), ', ') || undefined;
    push(failures, ...map(attempt.failures, (one) => ({ ...one, context: context(one) })));
  }
  const isGood = passed >= need;
  const note = repeat > 1 ? `${passed} of ${repeat} passed${need < repeat ? `, ${need} needed` : ''}` : undefined;
  return reportTest(task, isGood ? 'passed' : 'failed', { took: now() - began, note, failures: isGood ? [] : failures });
}

/** Runs a test up to `retry` more times until it passes; returns the last attempt. */
async function playWithRetries(task, repetition) {
  const retry = inherited(task, 'retry') ?? 0;
  for (let again = 0; ; again++) {
    const attempt = new Attempt(task, repetition * (retry + 1) + again, again > 0);
    await attempt.play();
    if (attempt.failures.length === 0 || attempt.isSkipped || again >= retry) return attempt;
  }
}
