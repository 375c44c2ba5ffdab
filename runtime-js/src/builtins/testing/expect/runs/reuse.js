// `toReuse`.
import { flag, shown } from 'lmthing:internal/testing/expect';
import { checkOptions, failed } from './check.js';
import { failureOf, readRun } from './run.js';

/** Passes if at least the share `min` of what was sent is sent again unchanged by the next request of its conversation. */
export function toReuse(options) {
  const run = readRun(this._obj, 'toReuse');
  const { min } = checkOptions('toReuse', options, ['min']);
  if (typeof min !== 'number' || !(min >= 0 && min <= 1)) {
    throw new TypeError(`toReuse: give the least share from 0 to 1, toReuse({ min: 0.8 }), got ${shown(min)}`);
  }
  if (run.reuse === undefined) {
    const why = 'that of runPrompt does not have the requests';
    throw new TypeError(`toReuse needs the result of run('./file.lmt.mjs'): ${why}`);
  }
  const isNot = Boolean(flag(this, 'negate'));
  const wanted = `expected the requests of the run to repeat ${isNot ? 'less than' : 'at least'} ${percent(min)} of those before`;
  const before = sum(run.reuse, 'before');
  if (before === 0) {
    throw failed(this, `${wanted}, and there was no second request in a conversation${failureOf(run)}`);
  }
  const share = sum(run.reuse, 'same') / before;
  if (share >= min !== isNot) return;
  throw failed(this, `${wanted}, and they repeat ${percent(share)}${listed(run.reuse)}${failureOf(run)}`);
}

const sum = (steps, name) => steps.reduce((total, step) => total + step[name], 0);

/** Cut, so that 79.99 % is not 80 %. */
const percent = (share) => `${Math.floor(share * 1000) / 10} %`;

const MOST = 10;

/** The steps that lose most, in their order. */
function listed(steps) {
  const lost = (step) => step.before - step.same;
  const broken = steps.filter((step) => step.changed !== null);
  if (broken.length === 0) return '';
  const most = new Set(broken.toSorted((a, b) => lost(b) - lost(a)).slice(0, MOST));
  const lines = broken.filter((step) => most.has(step)).map((step) => `\n  ${described(step)}`);
  const more = broken.length - lines.length;
  return `:${lines.join('')}${more > 0 ? `\n  … and ${more} more` : ''}`;
}

function described({ agent, step, same, before, changed: [kind, name] }) {
  const where = [...agent, `step ${step}`].join(' > ');
  const what = { tools: 'tool', message: 'an earlier message' }[kind] ?? kind;
  return `${where}: ${percent(before === 0 ? 0 : same / before)}, ${what}${name === null ? '' : ` \`${name}\``} changed`;
}
