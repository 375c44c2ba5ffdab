// What has changed since the baseline. Its rows are found by their input, as the program does: the n-th of equal ones.
import { isSame, meanOf, readCell } from './scores.js';

/** A key that is the same for equal inputs, whatever the order of their properties. */
export const keyOf = (input) => JSON.stringify(ordered(input));

function ordered(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return [0, value.map(ordered)];
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return [1, entries.map(([name, each]) => [name, ordered(each)])];
}

/** Counts how often each key has been met. */
function counter() {
  const met = new Map();
  return (key) => {
    met.set(key, (met.get(key) ?? 0) + 1);
    return `${met.get(key)} ${key}`;
  };
}

/** Returns a function that finds the earlier cells of the next row with an input, by group; null if there are none. */
export function earlierCells(lines, groups) {
  const rows = new Map();
  for (const line of lines) {
    if (!rows.has(line.row)) rows.set(line.row, []);
    rows.get(line.row).push(line);
  }
  const numbers = [...rows.keys()].sort((one, other) => one - other);
  const [nth, nthNow] = [counter(), counter()];
  const byKey = new Map(numbers.map((number) => [nth(keyOf(rows.get(number)[0].input ?? {})), rows.get(number)]));
  const same = groups.map((group) => sameGroup(group, groups, lines));
  return (input) => {
    const earlier = byKey.get(nthNow(keyOf(input)));
    if (!earlier) return null;
    return same.map((name) => earlier.filter(({ variant, model }) => name && variant === name.variant && model === name.model).map(readCell));
  };
}

/** The group of the same names, else the only one of its variant: its model has changed. */
function sameGroup({ variant, model }, groups, lines) {
  const models = new Set(lines.filter((line) => line.variant === variant).map((line) => line.model));
  if (models.has(model)) return { variant, model };
  const isOnly = models.size === 1 && groups.filter((group) => group.variant === variant).length === 1;
  return isOnly ? { variant, model: [...models][0] } : null;
}

/** The scores of a row that have changed: `{group, name, before, now}`. */
export function rowChanges({ answers, earlier }, scoreNames) {
  const changes = answers.flatMap((cells, group) =>
    scoreNames.map((name) => ({ group, name, before: meanOf(earlier[group], name), now: meanOf(cells, name) })),
  );
  return changes.filter(({ before, now }) => before !== null && now !== null && !isSame(before, now));
}

/** Of each group and score how many rows are better, worse and as before; and of each group how many answers differ. */
export function changeCounts({ rows, groups, scoreNames }) {
  return groups.map((group, index) => {
    const known = rows.filter(({ earlier }) => earlier?.[index].length > 0);
    const scores = scoreNames.map((name) => {
      const changes = known.flatMap((row) => row.changes.filter((change) => change.group === index && change.name === name));
      const better = changes.filter(({ before, now }) => now > before).length;
      const both = known.filter((row) => meanOf(row.earlier[index], name) !== null && meanOf(row.answers[index], name) !== null).length;
      return { name, better, worse: changes.length - better, same: both - changes.length };
    });
    return { group, scores, answers: known.filter((row) => isReworded(row, index)).length, known: known.length };
  });
}

/** Whether an answer is not the one of the baseline. */
export const isReworded = ({ answers, earlier }, index) => earlier[index].length > 0 && answers[index].some((cell, at) => answerText(cell) !== answerText(earlier[index][at]));

/** What a cell has answered, as text. */
export function answerText(cell) {
  if (!cell) return '';
  return cell.output === undefined ? (cell.text ?? '') : JSON.stringify(cell.output, null, 2);
}
