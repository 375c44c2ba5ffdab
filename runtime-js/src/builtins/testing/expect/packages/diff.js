// Replaces `@vitest/utils/diff` and `@vitest/utils/display`, which are loaded after a failure.
import { importBuiltin } from 'lmthing:internal/native/modules';

let display;
const later =
  (name) =>
  (...args) =>
    (display ??= importBuiltin('lmthing:internal/testing/display'))[name](...args);

export const diff = later('diff');
export const inspect = later('inspect');
export const printDiffOrStringify = later('printDiffOrStringify');
export const replaceAsymmetricMatcher = later('replaceAsymmetricMatcher');
export const stringify = later('stringify');
