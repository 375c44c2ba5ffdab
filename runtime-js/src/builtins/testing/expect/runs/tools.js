// `toHaveCalledTool` and `toHaveCalledTools`.
import {
  equals, flag, getCustomEqualityTesters, getObjectSubset, iterableEquality, shown, subsetEquality,
} from 'lmthing:internal/testing/expect';
import { failed } from './check.js';
import { failureOf, listed, readRun } from './run.js';

const contains = (input, args) => equals(input, args, [...getCustomEqualityTesters(), iterableEquality, subsetEquality]);
const partOf = (input, args) => getObjectSubset(input, args, getCustomEqualityTesters()).subset;

function checkName(matcher, name) {
  if (typeof name === 'string' && name !== '') return;
  throw new TypeError(`${matcher}: the name of a tool must be a string, got ${shown(name)}`);
}

/** Passes if some call of the run or its agents has an input that contains `args`. */
export function toHaveCalledTool(...given) {
  const [name, args] = given;
  const run = readRun(this._obj, 'toHaveCalledTool');
  checkName('toHaveCalledTool', name);
  if (given.length > 2) throw new TypeError('toHaveCalledTool takes the name of a tool and what its input contains, got more');
  const ofName = run.calls.filter(({ toolName }) => toolName === name);
  const found = args === undefined ? ofName : ofName.filter(({ input }) => contains(input, args));
  const isNot = Boolean(flag(this, 'negate'));
  if (found.length > 0 !== isNot) return;
  const what = `the tool '${name}'${args === undefined ? '' : ` with ${shown(args)}`}`;
  if (isNot) throw failed(this, `expected the run not to call ${what}, and it did:\n${listed(found)}`);
  const calls = run.calls.length === 0 ? 'and it called no tool' : `and it called\n${listed(run.calls)}`;
  const nearest = args === undefined ? undefined : nearestOf(ofName, args);
  throw failed(
    this,
    `expected the run to call ${what}, ${calls}${failureOf(run)}`,
    nearest && { expected: args, actual: partOf(nearest.input, args) },
  );
}

/** The first of the calls that match most of `args`. */
function nearestOf(calls, args) {
  const points = ({ input }) => Object.keys(Object(args)).filter((key) => contains(Object(input)[key], args[key])).length;
  return calls.reduce((best, call) => (best === undefined || points(call) > points(best) ? call : best), undefined);
}

/** Passes if these are exactly the prompt's own calls, in order: names, or `[name, args]`. */
export function toHaveCalledTools(...given) {
  const [wanted] = given;
  const run = readRun(this._obj, 'toHaveCalledTools');
  if (!Array.isArray(wanted) || given.length > 1) {
    const got = shown(given.length > 1 ? given : wanted);
    throw new TypeError(`toHaveCalledTools takes one list of calls, ['search', ['read', { page: 1 }]], got ${got}`);
  }
  const list = wanted.map((one) => (Array.isArray(one) ? one : [one]));
  list.forEach(([name, , ...more]) => {
    checkName('toHaveCalledTools', name);
    if (more.length === 0) return;
    throw new TypeError(`toHaveCalledTools: a call is a name or [name, args], got ${more.length + 2} elements`);
  });
  const calls = run.calls.filter(({ agent }) => agent.length === 0);
  const fits = ([name, args], call) =>
    call !== undefined && call.toolName === name && (args === undefined || contains(call.input, args));
  const isSo = calls.length === list.length && list.every((one, index) => fits(one, calls[index]));
  const isNot = Boolean(flag(this, 'negate'));
  if (isSo !== isNot) return;
  if (isNot) throw failed(this, `expected the run not to call exactly these tools, and it did:\n${listed(calls)}`);
  const actual = calls.map(({ toolName, input }, index) => {
    const [name, args] = list[index] ?? [];
    if (list[index] && args === undefined) return toolName;
    return [toolName, name === toolName ? partOf(input, args) : input];
  });
  const names = list.length === 0 ? 'no tool' : list.map(([name]) => name).join(', ');
  const message = `expected the run to call ${names}, ${calls.length === 0 ? 'and it called no tool' : `and it called\n${listed(calls)}`}`;
  throw failed(this, `${message}${failureOf(run)}`, { expected: wanted, actual });
}
