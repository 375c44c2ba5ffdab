// Formatting of values and differences, loaded after a failure or for snapshots.
import { format, plugins } from '@vitest/pretty-format';
import { diff, printDiffOrStringify, replaceAsymmetricMatcher } from '@vitest/utils/diff';
import { inspect, stringify } from '@vitest/utils/display';

export { diff, format, inspect, plugins, printDiffOrStringify, replaceAsymmetricMatcher, stringify };

/**
 * The difference between the expected and actual value of an error, as Vitest prints it: `- ` marks expected lines, `+
 * ` received ones. Undefined for errors without these.
 */
export function describeDifference(error) {
  const { actual, expected, showDiff } = error;
  if (typeof error.diff === 'string') return error.diff;
  if (!(showDiff ?? (expected !== undefined && actual !== undefined))) return undefined;
  return printDiffOrStringify(actual, expected, error.diffOptions ?? {}, {}) || undefined;
}
