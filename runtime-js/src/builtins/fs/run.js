// Runs planned file operations, synchronously or as a promise.
import * as native from 'lmthing:internal/native/fs';
import { origin, withOrigin } from '../shared/origin.js';
import { systemError } from './errors.js';

/** A plan: native `operation` with its `values`, details for its error, and `finish(result)`. */
export const call = (operation, values, errorDetails, finish = (value) => value) => ({ operation, values, errorDetails, finish });

function settle(outcome, { errorDetails, finish, recover }) {
  if (outcome.code === undefined) return finish(outcome.value);
  if (recover && outcome.code in recover) return recover[outcome.code];
  throw systemError(outcome, errorDetails);
}

/** `perform` replaces the native call for writes to the standard streams. */
export const runSync = (plan) => settle(plan.perform?.() ?? native[plan.operation](plan.values), plan);
export async function runAsync(plan) {
  const from = origin();
  const outcome = plan.perform?.() ?? (await native[`${plan.operation}Async`](plan.values));
  try {
    return settle(outcome, plan);
  } catch (error) {
    throw withOrigin(error, from);
  }
}
