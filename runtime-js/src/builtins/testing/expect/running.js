// Assertion state of the running test: counts, soft failures, promises. Kept with the attempt, in the form that
// @vitest/expect expects of a test.
import { current, settings } from 'lmthing:internal/testing/state';

const nothing = () => {};

/** The running attempt as a task of @vitest/expect; undefined outside of a test. */
export function runningTask() {
  const test = current();
  return test && (test.context.task ??= makeTask(test));
}

function makeTask(test) {
  const promised = [];
  const task = { type: 'test', mode: 'run', name: test.name, fullTestName: test.name, file: { filepath: settings.file } };
  // Assertions on promises, each with a check that throws if it was not awaited; and checks of assertion counts.
  Object.assign(task, { promised, counts: [], calls: 0 });
  task.promises = [];
  task.promises.push = (promise) => {
    const entry = { check: nothing };
    // Fails the test, not the file.
    promise.then(nothing, (reason) => void (entry.rejected = { reason }));
    return promised.push(entry);
  };
  task.onFinished = { push: (check) => void (promised.at(-1).check = check) };
  return task;
}

/** The result of an assertion on a promise: starts when it is first awaited; if it never is, the test fails. */
export function awaited(task, begin, makeError) {
  let promise;
  let isAwaited = false;
  const wait = () => {
    isAwaited = true;
    return (promise ??= begin());
  };
  const check = () => {
    if (!isAwaited) throw makeError();
  };
  task.promised.push({ check });
  return {
    then: (onFulfilled, onRejected) => wait().then(onFulfilled, onRejected),
    catch: (onRejected) => wait().catch(onRejected),
    finally: (onFinally) => wait().finally(onFinally),
    [Symbol.toStringTag]: 'Promise',
  };
}

/** Errors at the end of an attempt: soft failures, unawaited promises, counts. Each is returned once. */
export async function errorsAtTheEnd(task) {
  const forgotten = task.promised
    .splice(0)
    .map((entry) => ({ entry, error: thrownBy(entry.check) }))
    .filter(({ error }) => error);
  // Lets pending microtasks settle the promises.
  for (let turn = 0; forgotten.length > 0 && turn < 20; turn++) await undefined;
  return [
    ...(task.result?.errors?.splice(0) ?? []),
    ...forgotten.map(({ entry, error }) => (entry.rejected ? withHint(entry.rejected.reason) : error)),
    ...task.counts
      .splice(0)
      .map((check) => check(task.calls))
      .filter(Boolean),
  ];
}

function withHint(reason) {
  if (reason instanceof Error) {
    Object.defineProperty(reason, 'lmthing:hint', {
      value: 'await this assertion, so that the test does not end before it',
      configurable: true,
    });
  }
  return reason;
}

function thrownBy(check) {
  try {
    check();
    return undefined;
  } catch (error) {
    return error;
  }
}
