// Option checks and failures of run matchers.
import { AssertionError, flag, shown } from 'lmthing:internal/testing/expect';

/** Returns the options, or `{}`; throws a `TypeError` for other values and unknown options. */
export function checkOptions(matcher, options, known) {
  if (options === undefined) return {};
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError(`${matcher}: the options must be an object, got ${shown(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${matcher} has no option '${unknown}'; there is ${known.join(', ')}`);
  return options;
}

/** Fails an assertion, after the author's own message; `difference` is `{expected, actual}`. */
export function failed(assertion, message, difference) {
  const own = flag(assertion, 'message');
  const shows = difference ? { ...difference, showDiff: true } : { showDiff: false };
  return new AssertionError(own ? `${own}: ${message}` : message, shows, flag(assertion, 'ssfi'));
}

export const indented = (text) => text.replace(/^/gm, '  ');
