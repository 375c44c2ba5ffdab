// Which rows are shown, and in which order.
import { stringify } from '../../shared/values.js';
import { answerText } from './baseline.js';
import { isFailed } from './scores.js';

export const FILTERS = {
  all: { words: 'All', holds: () => true },
  disagree: { words: 'Disagree', holds: ({ disagrees }) => disagrees },
  errors: { words: 'Errors', holds: ({ errors, scoreErrors }) => errors + scoreErrors > 0 },
  changed: { words: 'Changed', holds: ({ changes }) => changes.length > 0, needsBaseline: true },
  better: { words: 'Better', holds: ({ changes }) => changes.some(({ before, now }) => now > before), needsBaseline: true },
  worse: { words: 'Worse', holds: ({ changes }) => changes.some(({ before, now }) => now < before), needsBaseline: true },
  reworded: { words: 'Other answers', holds: ({ reworded }) => reworded.length > 0, needsBaseline: true },
};

const isIn = (filter) => FILTERS[filter].holds;

/** First rows on which variants disagree, then those with errors, then those that have changed. */
const rank = (row) => [isIn('disagree'), isIn('errors'), isIn('changed'), () => true].findIndex((holds) => holds(row));
const lowest = ({ mean }) => mean ?? -1;
const worst = ({ changes }) => Math.min(0, ...changes.map(({ before, now }) => now - before));

export const ORDERS = {
  disagreeing: { words: 'Disagreeing first', compare: (one, other) => rank(one) - rank(other) || other.spread - one.spread || one.number - other.number },
  number: { words: 'By number', compare: (one, other) => one.number - other.number },
  lowest: { words: 'Lowest scores first', compare: (one, other) => lowest(one) - lowest(other) || one.number - other.number },
  worst: { words: 'Largest loss first', compare: (one, other) => worst(one) - worst(other) || one.number - other.number, needsBaseline: true },
};

/** `failed` is the name of a score that has failed in the row, or null. */
export function visibleRows(rows, { filter, failed, query, order }) {
  const wanted = query.trim().toLowerCase();
  const shown = rows.filter((row) => isIn(filter)(row) && (failed === null || fails(row, failed)) && (wanted === '' || textOf(row).includes(wanted)));
  return shown.sort(ORDERS[order].compare);
}

const fails = ({ answers }, name) => answers.some((cells) => cells.some(({ scores }) => isFailed(scores.get(name))));

const texts = new WeakMap();

/** All that can be read of a row, in lower case. */
function textOf(row) {
  if (!texts.has(row)) {
    const values = [...Object.values(row.input), ...Object.values(row.columns)].map((value) => (typeof value === 'string' ? value : stringify(value)));
    const cells = row.answers.flat().flatMap((cell) => [answerText(cell), cell.error?.message ?? '', ...[...cell.scores.values()].map(({ reason, error }) => `${reason ?? ''}\n${error ?? ''}`)]);
    texts.set(row, [`#${row.number}`, ...values, ...cells].join('\n').toLowerCase());
  }
  return texts.get(row);
}
