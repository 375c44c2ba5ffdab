// What is known of a suite or a test, and how anything of the author's is called for it.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { described, limited, takeExit, tell } from 'lmthing:internal/native/testing';
import { settings } from 'lmthing:internal/testing/state';
import { filter, flatMap, forEach, join, some } from './primordials.js';

/** The titles of a task and of those around it. */
export const titlesOf = (task) => (task.parent ? [...titlesOf(task.parent), task.title] : []);
export const nameOf = (task) => join(titlesOf(task), ' > ');
/** Everything in a suite. */
export const tasksOf = (suite) => flatMap(suite.tasks, (task) => (task.kind === 'suite' ? [task, ...tasksOf(task)] : [task]));
/** An option of a task, or of the nearest suite around it that has it. */
export const inherited = (task, name) => (task ? task.options[name] ?? inherited(task.parent, name) : undefined);

/** The difference between what an error says was expected and what was there, if it says so. */
function differenceIn(error) {
  const compares = error !== null && typeof error === 'object' && some(['expected', 'actual', 'diff'], (key) => key in error);
  return compares ? importBuiltin('lmthing:internal/testing/display').describeDifference(error) : undefined;
}

/** A failure as `tell` takes it. */
export const failure = (error, context) => ({ failure: described(error, differenceIn), context, error });

/** Tells of failures outside of any test. */
export const tellErrors = (errors, context) => forEach(errors, (error) => tell('error', failure(error, context)));

/** Gives an error the place at which a task is defined. */
export function at(error, task) {
  const frames = filter(task.stack.split('\n'), (line) => /^\s+at /.test(line));
  Object.defineProperty(error, 'stack', { value: join([`${error.name}: ${error.message}`, ...frames], '\n'), configurable: true, writable: true });
  return error;
}

/** Calls a function of the author's within a limit, for the test or suite `name`; gives what it threw and what it returned. */
export async function call(fn, args, timeout, what, name) {
  const limit = timeout ?? settings.timeout;
  tell('begin', { name, limit });
  const answer = await limited(fn, args, limit, what);
  const exit = takeExit();
  if (answer.thrown) return { errors: answer.thrown };
  return { errors: exit ? [exit] : [], value: answer.value };
}
