// `formatRange` of numbers as in ICU: affixes shared by both ends are written once if longer than a character.
import { merged } from './number-patterns.js';
import { numberLayers } from './number-writer.js';
import { pluralOfRange } from './plural-rules.js';

const tag = (parts, source) => parts.map((part) => ({ ...part, source }));
const textOf = (parts) => parts.map(({ value }) => value).join('');
const sameText = (a, b) => textOf(a) === textOf(b) && a.length === b.length;

/** The parts of a range, each with its `source`. */
export function rangeParts(format, start, end) {
  const [first, last] = [numberLayers(format, start), numberLayers(format, end)];
  const isSame = ['before', 'body', 'after'].every((key) => sameText(first[key], last[key]));
  if (isSame) return approximately(format, first);
  const sharesAffixes = sameText(first.before, last.before) && sameText(first.after, last.after);
  const affixLength = [...textOf(first.before), ...textOf(first.after)].length;
  const collapses = sharesAffixes && affixLength > 1;
  const repeats = (!collapses && affixLength > 0) || first.body.some(({ type }) => type === 'exponentSeparator');
  const whole = ({ before, body, after }, source) => tag(collapses ? body : [...before, ...body, ...after], source);
  const [from, to] = [whole(first, 'startRange'), whole(last, 'endRange')];
  let separator = format.numbers.range.replace('{0}', '').replace('{1}', '');
  if (repeats && !/^\s/.test(separator)) separator = ` ${separator}`;
  if (repeats && !/\s$/.test(separator)) separator = `${separator} `;
  let parts = [...from, { type: 'literal', value: separator, source: 'shared' }, ...to];
  if (collapses) parts = [...tag(first.before, 'shared'), ...parts, ...tag(last.after, 'shared')];
  return merged(first.outer(parts, pluralOfRange(format.dataLocale, first.plural, last.plural)).map((part) => ({ source: 'shared', ...part })))
    .map(({ type, value, source }) => ({ type, value, source }));
}

function approximately(format, { before, body, after, plural, outer }) {
  const sign = { type: 'approximatelySign', value: format.symbols.approximatelySign };
  return merged(tag(outer([sign, ...before, ...body, ...after], plural), 'shared'));
}
