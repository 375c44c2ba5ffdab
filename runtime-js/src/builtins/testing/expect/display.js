// How values and their differences are shown: loaded when something has failed, or is to be kept as a snapshot.
import { format, plugins } from '@vitest/pretty-format';
import { diff, printDiffOrStringify, replaceAsymmetricMatcher } from '@vitest/utils/diff';
import { inspect, stringify } from '@vitest/utils/display';

export { diff, format, inspect, plugins, printDiffOrStringify, replaceAsymmetricMatcher, stringify };

/**
 * The difference between what an error says was expected and what was there, as Vitest prints it: lines that begin with `- ` were
 * expected, those with `+ ` received. Undefined for errors that have none to show.
 */
export function describeDifference(error) {
  const { actual, expected, showDiff } = error;
  if (typeof error.diff === 'string') return error.diff;
  if (!(showDiff ?? (expected !== undefined && actual !== undefined))) return undefined;
  return printDiffOrStringify(actual, expected, error.diffOptions ?? {}, {}) || undefined;
}
