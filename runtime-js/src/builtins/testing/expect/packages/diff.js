// Stands in for `@vitest/utils/diff` and `@vitest/utils/display`: what shows values is loaded when something has failed.
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
