import { section } from './data.js';
import { canonicalizeLocaleList, readMatcher, resolveLocale, supportedLocalesOf } from './locales.js';
import { finish, stateOf, textOption, toOptionsObject } from './options.js';

const OWNER = 'Intl.ListFormat';
const states = new WeakMap();
const TYPES = { conjunction: 'standard', disjunction: 'or', unit: 'unit' };

function textsOf(list) {
  const texts = [];
  if (list === undefined) return texts;
  for (const text of list) {
    if (typeof text !== 'string') throw new TypeError(`Iterable yielded ${String(text)} which is not a string`);
    texts.push(text);
  }
  return texts;
}

/**
 * Spanish "y" becomes "e" before an i sound, "o" becomes "u" before an o sound. Hebrew joins to other scripts with a
 * hyphen.
 */
function fitting(pattern, language, type, next) {
  if (language === 'es' && type !== 'disjunction' && /^(?:i|hi(?!a|e|\u00eda))/i.test(next)) return pattern.replace(' y ', ' e ');
  if (language === 'es' && type === 'disjunction' && /^(?:o|ho|8|11(?!\d{1}(?!\d)|\d{2}\d*(?:[.,]|$)))/i.test(next)) return pattern.replace(' o ', ' u ');
  if (language === 'he' && type === 'conjunction' && !/^\p{Script=Hebrew}/u.test(next)) return pattern.replace('ו{1}', 'ו-{1}');
  return pattern;
}

function joined(pattern, first, second) {
  return pattern.split(/(\{[01]\})/).filter((piece) => piece !== '').flatMap((piece) => {
    if (piece === '{0}') return first;
    return piece === '{1}' ? second : [{ type: 'literal', value: piece }];
  });
}

function parts({ dataLocale, type, style }, list) {
  const elements = textsOf(list).map((value) => [{ type: 'element', value }]);
  if (elements.length === 0) return [];
  if (elements.length === 1) return elements[0];
  const patterns = section(dataLocale, 'lists')[`listPattern-type-${TYPES[type]}${style === 'long' ? '' : `-${style}`}`];
  const language = dataLocale.split('-')[0];
  const last = elements.at(-1);
  const closing = (pattern) => fitting(pattern, language, type, last[0].value);
  if (elements.length === 2) return joined(closing(patterns[2]), elements[0], last);
  let result = joined(closing(patterns.end), elements.at(-2), last);
  for (let index = elements.length - 3; index >= 0; index--) {
    result = joined(index === 0 ? patterns.start : patterns.middle, elements[index], result);
  }
  return result;
}

class ListFormat {
  constructor(locales = undefined, options = undefined) {
    const requested = canonicalizeLocaleList(locales);
    const given = toOptionsObject(options);
    readMatcher(given, OWNER);
    const { locale, dataLocale } = resolveLocale(requested);
    const type = textOption(given, 'type', Object.keys(TYPES), 'conjunction', OWNER);
    const style = textOption(given, 'style', ['long', 'short', 'narrow'], 'long', OWNER);
    states.set(this, { locale, dataLocale, type, style });
  }

  format(list) {
    return parts(stateOf(states, this, 'Intl.ListFormat.prototype.format'), list).map(({ value }) => value).join('');
  }

  formatToParts(list) {
    return parts(stateOf(states, this, 'Intl.ListFormat.prototype.formatToParts'), list).map((part) => ({ ...part }));
  }

  resolvedOptions() {
    const { locale, type, style } = stateOf(states, this, 'Intl.ListFormat.prototype.resolvedOptions');
    return { locale, type, style };
  }
}

export default finish(ListFormat, OWNER, supportedLocalesOf(OWNER));
