// Helpers for suites and tests (tasks), and calls of the author's functions.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { described, limited, takeExit, tell } from 'lmthing:internal/native/testing';
import { settings } from 'lmthing:internal/testing/state';
import { filter, flatMap, forEach, join, some } from './primordials.js';

/** The titles of a task and its ancestors, outermost first. */
export const titlesOf = (task) => (task.parent ? [...titlesOf(task.parent), task.title] : []);
export const nameOf = (task) => join(titlesOf(task), ' > ');
/** All tasks in a suite, recursively. */
export const tasksOf = (suite) => flatMap(suite.tasks, (task) => (task.kind === 'suite' ? [task, ...tasksOf(task)] : [task]));
/** An option of a task or its nearest ancestor that has it. */
export const inherited = (task, name) => (task ? task.options[name] ?? inherited(task.parent, name) : undefined);

/** The difference of expected and actual values, if the error has them. */
function differenceIn(error) {
  const compares = error !== null && typeof error === 'object' && some(['expected', 'actual', 'diff'], (key) => key in error);
  return compares ? importBuiltin('lmthing:internal/testing/display').describeDifference(error) : undefined;
}

/** A failure in the form that `tell` takes. */
export const failure = (error, context) => ({ failure: described(error, differenceIn), context, error });

/** Reports failures outside of any test. */
export const reportErrors = (errors, context) => forEach(errors, (error) => tell('error', failure(error, context)));

/** Gives an error the location where a task is defined. */
export function at(error, task) {
  const frames = filter(task.stack.split('\n'), (line) => /^\s+at /.test(line));
  Object.defineProperty(error, 'stack', { value: join([`${error.name}: ${error.message}`, ...frames], '\n'), configurable: true, writable: true });
  return error;
}

/** Calls a function of the author's with a time limit, on behalf of `name`; returns its error and result. */
export async function call(fn, args, timeout, what, name) {
  const limit = timeout ?? settings.timeout;
  tell('begin', { name, limit });
  const answer = await limited(fn, args, limit, what);
  const exit = takeExit();
  if (answer.thrown) return { errors: answer.thrown };
  return { errors: exit ? [exit] : [], value: answer.value };
}
