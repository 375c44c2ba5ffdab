// A tiny test runner: `test` notes what fails, `failures` returns it to crates/node/tests/node/globals.rs.
import { inspect, isDeepStrictEqual } from 'node:util';

const tests = [];

export function test(name, run) {
  tests.push([name, run]);
}

export async function failures() {
  const failed = [];
  for (const [name, run] of tests) {
    try {
      await run();
    } catch (error) {
      failed.push(`${name}: ${error?.stack ?? error}`);
    }
  }
  return failed;
}

export function equal(actual, expected) {
  if (!isDeepStrictEqual(actual, expected)) throw new Error(`got ${inspect(actual)}, expected ${inspect(expected)}`);
}

export function ok(value, what = 'a true value') {
  if (!value) throw new Error(`expected ${what}, got ${inspect(value)}`);
}

/** The error that `run` throws or rejects with. */
export async function failure(run) {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}
