// `Intl.Collator`: options; the native half compares.
import { makeComparer } from 'lmthing:internal/native/intl';
import { canonicalizeLocaleList, isAvailable, readMatcher, resolveLocale, supportedLocalesOf } from './locales.js';
import { booleanOption, finish, stateOf, textOption, toOptions } from './options.js';

const OWNER = 'Intl.Collator';
const states = new WeakMap();

/** Alternative orders of a language. */
const ORDERS = {
  de: ['phonebk', 'eor'], es: ['trad'], sv: ['trad'], fi: ['trad'], zh: ['pinyin', 'stroke', 'zhuyin', 'unihan'], ja: ['unihan'], ko: ['unihan'],
  ar: ['compat'],
};

/** Regions that ICU lists besides languages; they rarely affect the order. */
const REGIONS = new Set(
  ('ar-SA de-AT en-US fa-AF fr-CA he-IL id-ID sr-BA sr-Cyrl sr-Cyrl-BA sr-Cyrl-ME sr-Cyrl-RS sr-Latn sr-Latn-BA sr-Latn-RS sr-ME sr-RS ' +
    'zh-CN zh-HK zh-Hans zh-Hans-CN zh-Hans-SG zh-Hant zh-Hant-HK zh-Hant-MO zh-Hant-TW zh-MO zh-SG zh-TW').split(' '),
);
const hasOrder = (name) => isAvailable(name) && (!name.includes('-') || REGIONS.has(name));

function orders(dataLocale) {
  return ['default', ...(ORDERS[dataLocale.split('-')[0]] ?? []), 'emoji', 'eor'];
}

/** Resolves locale and options to a compare function. */
export function makeCollator(locales, options) {
  const requested = canonicalizeLocaleList(locales);
  const given = toOptions(options, OWNER);
  const usage = textOption(given, 'usage', ['sort', 'search'], 'sort', OWNER);
  readMatcher(given, OWNER);
  const asked = textOption(given, 'collation', undefined, undefined, OWNER);
  if (asked !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(asked)) throw new RangeError(`Invalid collation : ${asked}`);
  const numeric = booleanOption(given, 'numeric', undefined);
  const caseFirst = textOption(given, 'caseFirst', ['upper', 'lower', 'false'], undefined, OWNER);
  const keys = {
    co: usage === 'search' ? () => ['default'] : orders,
    kn: () => ['false', 'true'],
    kf: (dataLocale) => (dataLocale === 'da' && usage === 'sort' ? ['upper', 'lower', 'false'] : ['false', 'upper', 'lower']),
  };
  const wanted = { co: asked, kn: numeric === undefined ? undefined : String(numeric), kf: caseFirst };
  const { locale, name, dataLocale, values } = resolveLocale(requested, keys, wanted, hasOrder);
  const sensitivity = textOption(given, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant', OWNER);
  const ignorePunctuation = booleanOption(given, 'ignorePunctuation', dataLocale === 'th' && usage === 'sort');
  // V8 includes an order from the options in the locale name.
  const isOrdered = asked !== undefined && values.co === asked && !locale.includes('-co-');
  const collator = { locale: isOrdered ? `${locale}${locale.includes('-u-') ? '' : '-u'}-co-${asked}` : locale, usage, sensitivity, ignorePunctuation, collation: values.co, numeric: values.kn === 'true', caseFirst: values.kf };
  const keywords = `${values.co === 'default' ? '' : `-co-${values.co}`}-kf-${values.kf}${collator.numeric ? '-kn' : '-kn-false'}`;
  const compare = makeComparer(`${name}-u${keywords}`, sensitivity, ignorePunctuation);
  collator.compare = (left, right) => compare(wellFormed(left), wellFormed(right));
  return collator;
}

/** The native half does not accept lone surrogates. */
const wellFormed = (text) => (text.isWellFormed() ? text : text.toWellFormed());

function Collator(locales = undefined, options = undefined) {
  const object = new.target === undefined ? Object.create(Collator.prototype) : Reflect.construct(Object, [], new.target);
  states.set(object, makeCollator(locales, options));
  return object;
}

const methods = {
  get compare() {
    const state = stateOf(states, this, 'get Intl.Collator.prototype.compare');
    return (state.bound ??= Object.defineProperty((left, right) => state.compare(String(left), String(right)), 'name', { value: '' }));
  },
  resolvedOptions() {
    const { locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst } = stateOf(states, this, 'Intl.Collator.prototype.resolvedOptions');
    return { locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst };
  },
};
for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
  Object.defineProperty(Collator.prototype, name, { ...descriptor, enumerable: false });
}
Object.defineProperty(Collator, 'length', { value: 0, configurable: true });
Object.defineProperty(Collator, 'prototype', { writable: false });

export default finish(Collator, OWNER, supportedLocalesOf(OWNER));
