// What is expected within the running test: how often, softly, of promises. It is kept with the attempt, in the shape that
// @vitest/expect asks of a test.
import { current, settings } from 'lmthing:internal/testing/state';

const nothing = () => {};

/** The running attempt as @vitest/expect knows tests; undefined outside of one. */
export function runningTask() {
  const test = current();
  return test && (test.context.task ??= makeTask(test));
}

function makeTask(test) {
  const promised = [];
  const task = { type: 'test', mode: 'run', name: test.name, fullTestName: test.name, file: { filepath: settings.file } };
  // Expectations of promises, each with a check that throws if nobody has awaited it; and checks of how often something was expected.
  Object.assign(task, { promised, counts: [], calls: 0 });
  task.promises = [];
  task.promises.push = (promise) => {
    const entry = { check: nothing };
    // It fails the test, not the file.
    promise.then(nothing, (reason) => void (entry.rejected = { reason }));
    return promised.push(entry);
  };
  task.onFinished = { push: (check) => void (promised.at(-1).check = check) };
  return task;
}

/** What an expectation of a promise gives: like a promise that is only begun when somebody waits, and fails the test if nobody does. */
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

/** What is wrong at the end of an attempt: soft failures, promises nobody awaited, counts. Each is told once. */
export async function errorsAtTheEnd(task) {
  const forgotten = task.promised
    .splice(0)
    .map((entry) => ({ entry, error: thrownBy(entry.check) }))
    .filter(({ error }) => error);
  // Time to settle for what only waits for its turn.
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
