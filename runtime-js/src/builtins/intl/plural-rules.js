// `Intl.PluralRules`, and CLDR's rules, compiled on first use of a language.
import { coreData } from './data.js';
import { toDecimal, rounded } from './decimal.js';
import { canonicalizeLocaleList, readMatcher, resolveLocale, supportedLocalesOf } from './locales.js';
import { readDigitOptions } from './number-options.js';
import { finish, stateOf, textOption, toOptions } from './options.js';

const compiled = new Map();
const ORDER = ['few', 'many', 'one', 'two', 'zero', 'other'];

/** `[[category, condition], …]` of a locale, without `other`. */
export function rulesOf(locale, type) {
  const table = coreData()[type === 'ordinal' ? 'ordinal' : 'cardinal'];
  let name = locale;
  while (table[name] === undefined && name.includes('-')) name = name.slice(0, name.lastIndexOf('-'));
  const key = `${type} ${name}`;
  if (!compiled.has(key)) {
    compiled.set(key, Object.entries(table[name] ?? {}).map(([category, rule]) => [category, compile(rule)]));
  }
  return compiled.get(key);
}

/** Compiles `n % 10 = 2..4 and v = 0 or …` to a function of the operands. */
function compile(rule) {
  const alternatives = rule.split(' or ').map((alternative) => alternative.split(' and ').map((relation) => {
    const [, operand, modulus, operator, list] = /^\s*(\w)(?:\s*%\s*(\d+))?\s*(!?=)\s*(.+?)\s*$/.exec(relation);
    const ranges = list.split(',').map((range) => range.split('..').map(Number)).map(([from, to = from]) => [from, to]);
    return (operands) => {
      const value = modulus === undefined ? operands[operand] : operands[operand] % Number(modulus);
      return ranges.some(([from, to]) => value >= from && value <= to && (from === to || Number.isInteger(value))) === (operator === '=');
    };
  }));
  return (operands) => alternatives.some((relations) => relations.every((relation) => relation(operands)));
}

/** The operands of UTS 35 for digits as shown; `exponent` is that of a compact form. */
export function operandsOf({ integer, fraction }, exponent = 0) {
  if (exponent !== 0) {
    const shifted = fraction.padEnd(exponent, '0');
    return { ...operandsOf({ integer: (integer + shifted.slice(0, exponent)).replace(/^0+(?=.)/, ''), fraction: shifted.slice(exponent) }), c: exponent, e: exponent };
  }
  const trimmed = fraction.replace(/0+$/, '');
  return {
    n: Number(`${integer}.${fraction}`), // ICU's operands, and so the plurals of larger numbers, are limited to 64 bits.
    i: Number(integer.slice(-18)), v: fraction.length, w: trimmed.length,
    f: Number(fraction), t: Number(trimmed), c: 0, e: 0,
  };
}

export function pluralOf(locale, type, shown, exponent) {
  if (shown.special) return 'other';
  const operands = operandsOf(shown, exponent);
  return rulesOf(locale, type).find(([, condition]) => condition(operands))?.[0] ?? 'other';
}

export function pluralOfRange(locale, start, end) {
  const ranges = coreData().ranges;
  let name = locale;
  while (ranges[name] === undefined && name.includes('-')) name = name.slice(0, name.lastIndexOf('-'));
  return ranges[name]?.[`pluralRange-start-${start}-end-${end}`] ?? 'other';
}

/** Rules exist for languages and a few regions. */
const hasRules = (name) => coreData().cardinal[name] !== undefined;

const states = new WeakMap();
const OWNER = 'Intl.PluralRules';

class PluralRules {
  constructor(locales = undefined, options = undefined) {
    const requested = canonicalizeLocaleList(locales);
    const given = toOptions(options, OWNER);
    readMatcher(given, OWNER);
    const type = textOption(given, 'type', ['cardinal', 'ordinal'], 'cardinal', OWNER);
    const digits = readDigitOptions(given, 0, 3, 'standard');
    const { locale, dataLocale } = resolveLocale(requested, {}, {}, hasRules);
    states.set(this, { locale, dataLocale, type, digits });
  }

  select(value) {
    const { dataLocale, type, digits } = stateOf(states, this, 'Intl.PluralRules.prototype.select');
    return pluralOf(dataLocale, type, rounded(toDecimal(Number(value)), digits));
  }

  selectRange(start, end) {
    const { dataLocale, type, digits } = stateOf(states, this, 'Intl.PluralRules.prototype.selectRange');
    if (start === undefined || end === undefined) throw new TypeError('start or end is undefined');
    const [from, to] = [Number(start), Number(end)];
    if (Number.isNaN(from) || Number.isNaN(to)) throw new RangeError(`Invalid argument`);
    const [first, last] = [from, to].map((value) => pluralOf(dataLocale, type, rounded(toDecimal(value), digits)));
    return pluralOfRange(dataLocale, first, last);
  }

  resolvedOptions() {
    const { locale, dataLocale, type, digits } = stateOf(states, this, 'Intl.PluralRules.prototype.resolvedOptions');
    const categories = [...rulesOf(dataLocale, type).map(([category]) => category), 'other'];
    return {
      locale, type, ...digits.shown, pluralCategories: ORDER.filter((category) => categories.includes(category)),
    };
  }
}

/** Calling it without `new` throws V8's error. */
export default finish(PluralRules, OWNER, supportedLocalesOf(OWNER));
