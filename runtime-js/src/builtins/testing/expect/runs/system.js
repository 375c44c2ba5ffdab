// `toHaveSystem` and `toCost`.
import { AssertionError, flag, shown } from 'lmthing:internal/testing/expect';
import { failureOf, readRun, systemOf } from './run.js';

function checkOptions(matcher, options, known) {
  if (options === undefined) return {};
  if (options === null || typeof options !== 'object' || Array.isArray(options)) throw new TypeError(`${matcher}: the options must be an object, got ${shown(options)}`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${matcher} has no option '${unknown}'; there is ${known.join(', ')}`);
  return options;
}

/** The system prompt of some step, or of that one, contains a text or matches a regular expression. */
export function toHaveSystem(wanted, options) {
  const run = readRun(this._obj, 'toHaveSystem');
  const { step } = checkOptions('toHaveSystem', options, ['step']);
  const holds = testOf(wanted);
  if (step !== undefined && (!Number.isInteger(step) || step < 0 || step >= run.steps.length)) {
    const there = run.steps.length === 0 ? 'the run has none' : run.steps.length === 1 ? 'the run has one, 0' : `the run has 0 to ${run.steps.length - 1}`;
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
    // Without what would have it remember where it was.
    const pattern = new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, ''));
    return (text) => pattern.test(text);
  }
  if (typeof wanted?.asymmetricMatch === 'function') return (text) => wanted.asymmetricMatch(text);
  throw new TypeError(`toHaveSystem: what the system prompt has must be a string or a regular expression, got ${shown(wanted)}`);
}

const LONGEST = 60;

/** The system prompts there were; what several steps had is shown once. */
function prompts(steps, only) {
  if (steps.length === 0) return ', and the run made no request';
  const groups = new Map();
  steps.forEach((step, index) => {
    if (only !== undefined && index !== only) return;
    const text = systemOf(step);
    groups.set(text, [...(groups.get(text) ?? []), index]);
  });
  return [...groups].map(([text, which]) => `\n\nSystem prompt of ${which.length > 1 ? 'steps' : 'step'} ${ranges(which)}:\n${text === '' ? '  (none)' : indented(text)}`).join('');
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

function indented(text) {
  const lines = text.split('\n');
  const more = lines.length > LONGEST ? `\n  … ${lines.length - LONGEST} more lines` : '';
  return lines.slice(0, LONGEST).map((line) => `  ${line}`).join('\n') + more;
}

/** The run cost no more than `max` US dollars. Of an unknown price nothing can be said. */
export function toCost(options) {
  const run = readRun(this._obj, 'toCost');
  const { max } = checkOptions('toCost', options, ['max']);
  if (typeof max !== 'number' || !(max >= 0)) throw new TypeError(`toCost: give the most it may cost in US dollars, toCost({ max: 0.01 }), got ${shown(max)}`);
  if (run.cost === undefined) throw new TypeError("toCost wants what run('./file.lmt.mjs') resolves to: a prompt of runPrompt does not tell what the whole run cost");
  const isNot = Boolean(flag(this, 'negate'));
  if (run.cost !== null && run.cost <= max !== isNot) return;
  const wanted = `expected the run to cost ${isNot ? 'more than' : 'at most'} ${dollars(max)}`;
  if (run.cost === null) throw failed(this, `${wanted}, and what it cost is not known: config.prices or LMTHING_PRICES can say what the model costs${failureOf(run)}`);
  throw failed(this, `${wanted}, and it cost ${dollars(run.cost)}${failureOf(run)}`);
}

/** Six digits that count, however small. */
const dollars = (value) => `$${Number(value.toPrecision(6)).toFixed(12).replace(/\.?0+$/, '')}`;

function failed(assertion, message) {
  const own = flag(assertion, 'message');
  return new AssertionError(own ? `${own}: ${message}` : message, { showDiff: false }, flag(assertion, 'ssfi'));
}
