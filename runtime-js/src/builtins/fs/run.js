// How a planned file operation is done: at once, or as a promise. A plan names a native and its arguments, how a failure is
// told, and what becomes of the result.
import * as native from 'lmthing:internal/native/fs';
import { origin, withOrigin } from '../shared/origin.js';
import { systemError } from './errors.js';

/** A call of a native: `operation`, its `values`, how an error is told, and `finish(result)`. */
export const call = (operation, values, told, finish = (value) => value) => ({ operation, values, told, finish });

function settle(outcome, { told, finish, recover }) {
  if (outcome.code === undefined) return finish(outcome.value);
  if (recover && outcome.code in recover) return recover[outcome.code];
  throw systemError(outcome, told);
}

/** `perform` stands in for a native: what is written to the standard streams goes to the printer. */
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
