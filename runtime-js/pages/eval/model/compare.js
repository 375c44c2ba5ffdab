// Two answers word by word.
import { diffWordsWithSpace } from 'diff';

/** Longer texts, and texts that differ in more, would take too long. */
const MOST_LETTERS = 60_000;
const MOST_EDITS = 3_000;
const MOST_MILLIS = 150;

/** Pieces `{value, added, removed}`; null if the texts are too long or too different. */
export function compareWords(before, after) {
  if (before.length > MOST_LETTERS || after.length > MOST_LETTERS) return null;
  return diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS, timeout: MOST_MILLIS }) ?? null;
}
