// `toHaveSystem` and `toCost`.
import { flag, shown } from 'lmthing:internal/testing/expect';
import { checkOptions, failed, indented } from './check.js';
import { failureOf, readRun, systemOf } from './run.js';

/** Passes if the system prompt of some step, or of the given one, contains a text or matches a regular expression. */
export function toHaveSystem(wanted, options) {
  const run = readRun(this._obj, 'toHaveSystem');
  const { step } = checkOptions('toHaveSystem', options, ['step']);
  const holds = testOf(wanted);
  if (step !== undefined && (!Number.isInteger(step) || step < 0 || step >= run.steps.length)) {
    const last = run.steps.length - 1;
    const there = last < 0 ? 'the run has none' : last === 0 ? 'the run has one, 0' : `the run has 0 to ${last}`;
    throw new RangeError(`toHaveSystem: there is no step ${shown(step)}: ${there}${failureOf(run)}`);
  }
  const steps = step === undefined ? run.steps : [run.steps[step]];
  const isNot = Boolean(flag(this, 'negate'));
  if (steps.some((one) => holds(systemOf(one))) !== isNot) return;
  const of = step === undefined ? (isNot ? 'no step' : 'some step') : `step ${step}`;
  const verb = wanted instanceof RegExp ? 'match' : 'contain';
  const message = `expected the system prompt of ${of} to ${isNot && step !== undefined ? 'not ' : ''}${verb} ${shown(wanted)}`;
  throw failed(this, `${message}${prompts(run.steps, step)}${failureOf(run)}`);
}

function testOf(wanted) {
  if (typeof wanted === 'string') return (text) => text.includes(wanted);
  if (wanted instanceof RegExp) {
    // Without flags that make it stateful.
    const pattern = new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, ''));
    return (text) => pattern.test(text);
  }
  if (typeof wanted?.asymmetricMatch === 'function') return (text) => wanted.asymmetricMatch(text);
  throw new TypeError(`toHaveSystem: what the system prompt has must be a string or a regular expression, got ${shown(wanted)}`);
}

const LONGEST = 60;

/** The actual system prompts; one shared by several steps is shown once. */
function prompts(steps, only) {
  if (steps.length === 0) return ', and the run made no request';
  const groups = new Map();
  steps.forEach((step, index) => {
    if (only !== undefined && index !== only) return;
    const text = systemOf(step);
    groups.set(text, [...(groups.get(text) ?? []), index]);
  });
  const shows = ([text, which]) =>
    `\n\nSystem prompt of ${which.length > 1 ? 'steps' : 'step'} ${ranges(which)}:\n${text === '' ? '  (none)' : cut(text)}`;
  return [...groups].map(shows).join('');
}

function ranges(numbers) {
  const parts = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`)).join(', ');
}

function cut(text) {
  const lines = text.split('\n');
  const more = lines.length > LONGEST ? `\n  … ${lines.length - LONGEST} more lines` : '';
  return indented(lines.slice(0, LONGEST).join('\n')) + more;
}

/** Passes if the run cost at most `max` US dollars. Fails for an unknown price. */
export function toCost(options) {
  const run = readRun(this._obj, 'toCost');
  const { max } = checkOptions('toCost', options, ['max']);
  if (typeof max !== 'number' || !(max >= 0)) {
    throw new TypeError(`toCost: give the most it may cost in US dollars, toCost({ max: 0.01 }), got ${shown(max)}`);
  }
  if (run.cost === undefined) {
    const why = 'that of runPrompt does not have the cost of the whole run';
    throw new TypeError(`toCost needs the result of run('./file.lmt.mjs'): ${why}`);
  }
  const isNot = Boolean(flag(this, 'negate'));
  if (run.cost !== null && run.cost <= max !== isNot) return;
  const wanted = `expected the run to cost ${isNot ? 'more than' : 'at most'} ${dollars(max)}`;
  if (run.cost === null) {
    const advice = 'config.prices or LMTHING_PRICES can say what the model costs';
    throw failed(this, `${wanted}, and what it cost is not known: ${advice}${failureOf(run)}`);
  }
  throw failed(this, `${wanted}, and it cost ${dollars(run.cost)}${failureOf(run)}`);
}

/** Six significant digits. */
const dollars = (value) =>
  `$${Number(value.toPrecision(6))
    .toFixed(12)
    .replace(/\.?0+$/, '')}`;
