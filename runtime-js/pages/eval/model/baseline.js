// What has changed since the baseline, whose lines have the numbers of the rows that they are of.
import { isSame, meanOf, readCell } from './scores.js';

/** Returns a function that finds the earlier cells of a row, by group; null if there are none. `names` has for each group the variant and model that it is compared with, or null. */
export function earlierCells(lines, groups, names) {
  const rows = new Map();
  for (const line of lines) {
    if (!rows.has(line.row)) rows.set(line.row, groups.map(() => []));
    names.forEach((name, at) => {
      if (name && line.variant === name[0] && line.model === name[1]) rows.get(line.row)[at].push(readCell(line));
    });
  }
  return ({ number }) => rows.get(number) ?? null;
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
