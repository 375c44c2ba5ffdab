// All of `Intl` in one module, because its parts share tables.
export { default as Collator } from './collator.js';
export { default as DateTimeFormat } from './date-format.js';
export { default as DisplayNames } from './display-names.js';
export { default as ListFormat } from './list-format.js';
export { default as Locale } from './locale-class.js';
export { default as NumberFormat } from './number-format.js';
export { default as PluralRules } from './plural-rules.js';
export { default as RelativeTimeFormat } from './relative-time-format.js';
export { default as Segmenter } from './segmenter.js';
export { canonicalizeLocaleList } from './locales.js';
export { supportedValuesOf } from './values.js';
export * as methods from './methods.js';
