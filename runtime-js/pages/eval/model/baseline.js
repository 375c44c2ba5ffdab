// What has changed since the baseline, whose lines have the numbers of the rows that they are of.
import { isSame, meanOf, readCell } from './scores.js';

/** Returns a function that finds the earlier cells of a row, by group; null if there are none. */
export function earlierCells(lines, groups) {
  const same = groups.map((group) => sameGroup(group, groups, lines));
  const rows = new Map();
  for (const line of lines) {
    if (!rows.has(line.row)) rows.set(line.row, groups.map(() => []));
    same.forEach((name, at) => {
      if (name && line.variant === name.variant && line.model === name.model) rows.get(line.row)[at].push(readCell(line));
    });
  }
  return ({ number }) => rows.get(number) ?? null;
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
    return { group, scores, answers: known.filter(({ reworded }) => reworded.includes(index)).length, known: known.length };
  });
}

/** Whether an answer is not the one of the baseline. */
export const isReworded = ({ answers, earlier }, index) => earlier[index].length > 0 && answers[index].some((cell, at) => answerText(cell) !== answerText(earlier[index][at]));

/** What a cell has answered, as text. */
export function answerText(cell) {
  if (!cell) return '';
  return cell.output === undefined ? (cell.text ?? '') : JSON.stringify(cell.output, null, 2);
}
