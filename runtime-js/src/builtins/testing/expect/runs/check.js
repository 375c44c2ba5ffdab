// Option checks and failures of run matchers.
import { AssertionError, flag } from 'lmthing:internal/testing/expect';

export { checkOptions } from '../../../shared/options.js';

/** Fails an assertion, after the author's own message; `difference` is `{expected, actual}`. */
export function failed(assertion, message, difference) {
  const own = flag(assertion, 'message');
  const shows = difference ? { ...difference, showDiff: true } : { showDiff: false };
  return new AssertionError(own ? `${own}: ${message}` : message, shows, flag(assertion, 'ssfi'));
}

export const indented = (text) => text.replace(/^/gm, '  ');
