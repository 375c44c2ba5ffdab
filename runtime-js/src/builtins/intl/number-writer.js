// Formats decimals into parts by the resolved options of `NumberFormat`.
import { coreData, section } from './data.js';
import { isZero, magnitudeOf, round, rounded, shifted, shown } from './decimal.js';
import { digitsOf } from './locales.js';
import { affixesOf, digitParts, merged, parsePattern, signOf, trimmedParts, wrapped } from './number-patterns.js';
import { pluralOf } from './plural-rules.js';

/** Numbering systems with symbols of their own in all locales, and a locale that has these. */
const SYMBOLS_OF = { arab: 'ar-EG', arabext: 'fa' };

/** Numbering systems not native to the locale use Western symbols. */
export function numbersOf(dataLocale, system) {
  const numbers = section(dataLocale, 'numbers');
  const own = numbers[system] ?? numbers.latn ?? numbers[numbers.ns];
  const foreign = numbers[system] === undefined ? SYMBOLS_OF[system] : undefined;
  if (foreign === undefined) return own;
  return { ...own, symbols: { ...section(foreign, 'numbers')[system].symbols, nan: own.symbols.nan } };
}

/** Resolves the options of `format` (made by `NumberFormat`) for its locale; cached in it. */
export function prepare(format) {
  const { dataLocale, numberingSystem, style, notation } = format;
  const numbers = numbersOf(dataLocale, numberingSystem);
  format.numbers = numbers;
  format.symbols = numbers.symbols;
  format.nativeDigits = numberingSystem === 'latn' ? undefined : [...digitsOf(numberingSystem)];
  format.pattern = numbers.decimal;
  if ((style === 'percent' && notation !== 'compact') || isPercentPattern(format)) format.pattern = numbers.percent;
  if (style === 'currency') prepareCurrency(format);
  if (notation === 'compact') prepareCompact(format);
  const { pattern } = format;
  const isCurrency = style === 'currency';
  format.decimalSymbol = (isCurrency && numbers.symbols.currencyDecimal) || numbers.symbols.decimal;
  format.groupSymbol = (isCurrency && numbers.symbols.currencyGroup) || numbers.symbols.group;
  const least = section(dataLocale, 'numbers').min;
  const leastFor = { auto: least, always: 1, min2: Math.max(2, least) };
  const { primary, secondary } = parsePattern(pattern);
  format.grouping = {
    primary: format.useGrouping === false ? 0 : primary, secondary, least: leastFor[format.useGrouping] ?? 1,
    group: format.groupSymbol, decimal: format.decimalSymbol, digits: format.nativeDigits,
  };
  return format;
}

function prepareCurrency(format) {
  const { dataLocale, currency, currencyDisplay, currencySign, numbers } = format;
  const names = section(dataLocale, 'currencies')[currency] ?? {};
  if (currencyDisplay === 'name') return;
  const symbols = { code: currency, symbol: names.s ?? currency, narrowSymbol: names.n ?? names.s ?? currency };
  format.currencySymbol = symbols[currencyDisplay];
  const sign = currencySign === 'accounting' ? 'accounting' : 'standard';
  format.pattern = numbers.currency[sign];
}

/** Whether a compact pattern writes the number in full. */
const isPlain = (pattern) => /^0+$/.test(pattern);

/** Compact patterns by magnitude: `{shift, byPlural}`. */
function prepareCompact(format) {
  const { numbers, style, currencyDisplay, compactDisplay } = format;
  const isCurrency = style === 'currency' && currencyDisplay !== 'name';
    // Some locales have compact currencies for Western digits only.
  const short = Object.keys(numbers.currencyShort).length ? numbers.currencyShort : section(format.dataLocale, 'numbers').latn.currencyShort;
  const table = isCurrency ? short : compactDisplay === 'long' ? numbers.long : numbers.short;
  format.compact = [];
  for (const [key, pattern] of Object.entries(table)) {
    const match = /^(1(0+))-count-(\w+)$/.exec(key);
    if (match === null || pattern === '') continue;
    const magnitude = match[2].length;
    const entry = (format.compact[magnitude] ??= { shift: 0, byPlural: {} });
    entry.byPlural[match[3]] = pattern;
    const zeros = parsePattern(pattern).integers;
    if (!isPlain(pattern) && zeros > 0) entry.shift = Math.max(entry.shift, magnitude - zeros + 1);
  }
}

export function numberParts(format, decimal) {
  const layers = numberLayers(format, decimal);
  return merged(layers.outer([...layers.before, ...layers.body, ...layers.after], layers.plural));
}

/**
 * A number in layers: digits (`body`), sign, currency and compact text around them (`before`, `after`), and the unit or
 * currency name, which depends on the plural (`outer`).
 */
export function numberLayers(format, decimal) {
  const { style, digits: options, notation, dataLocale } = format;
  const value = style === 'percent' ? shifted(decimal, 2) : decimal;
  let digits;
  let exponent = 0;
  let { pattern } = format;
  let compactPattern;
  if (notation === 'compact') {
    ({ digits, exponent, compactPattern } = compact(format, value));
    pattern = compactPattern ?? pattern;
  } else if (notation === 'scientific' || notation === 'engineering') {
    ({ digits, exponent } = scientific(format, value));
  } else {
    digits = rounded(value, options);
  }
  const { prefix, suffix } = affixesOf(parsePattern(pattern), signOf(digits, format.signDisplay));
  const toParts = (tokens) => tokens.flatMap((token) => affixPart(format, token, compactPattern !== undefined));
  const [before, after] = [toParts(prefix), toParts(suffix)];
  // A pattern without digits is the whole number: "mille".
  const body = parsePattern(pattern).positive.digits === '' ? [] : bodyParts(format, digits, exponent);
  spaceCurrency(format, before, body, after);
  const plural = pluralOf(dataLocale, 'cardinal', digits, notation === 'compact' ? exponent : 0);
  return { before, body, after, plural, outer: (parts, category) => named(format, parts, category) };
}

function affixPart(format, { type, value }, isCompact) {
  switch (type) {
    case 'literal': return isCompact ? trimmedParts(value, 'compact') : [{ type, value }];
    case 'currency': return [{ type, value: format.currencySymbol ?? '' }];
    case 'percentSign': return [{ type: format.style === 'unit' ? 'unit' : type, value: format.symbols.percentSign }];
    case 'minusSign': return [{ type, value: format.symbols.minusSign }];
    default: return [{ type, value: format.symbols.plusSign }];
  }
}

/** Inserts a space between digits and an alphabetic currency, where the locale requires it. */
function spaceCurrency(format, before, inner, after) {
  if (format.currencySymbol === undefined) return;
  const isDigit = (text) => /^\p{Nd}/u.test(text ?? '');
  const matches = (character) => character !== undefined && !/[\p{S}\p{Z}]/u.test(character);
  const { beforeCurrency, afterCurrency } = format.numbers.currency.currencySpacing;
  const last = before.at(-1);
  if (last?.type === 'currency' && matches([...last.value].at(-1)) && isDigit(inner[0]?.value)) {
    before.push({ type: 'literal', value: afterCurrency.insertBetween });
  }
  const first = after[0];
  if (first?.type === 'currency' && matches([...first.value][0]) && isDigit(inner.at(-1)?.value)) {
    after.unshift({ type: 'literal', value: beforeCurrency.insertBetween });
  }
}

function bodyParts(format, digits, exponent) {
  const { symbols, notation, grouping } = format;
  let parts;
  if (digits.special === 'nan') parts = [{ type: 'nan', value: symbols.nan }];
  else if (digits.special) parts = [{ type: 'infinity', value: symbols.infinity }];
  else parts = digitParts(digits, grouping);
  if ((notation !== 'scientific' && notation !== 'engineering') || digits.special) return parts;
  parts.push({ type: 'exponentSeparator', value: symbols.exponential });
  if (exponent < 0) parts.push({ type: 'exponentMinusSign', value: symbols.minusSign });
  const [{ value }] = digitParts({ integer: String(Math.abs(exponent)), fraction: '' }, { ...grouping, primary: 0 });
  parts.push({ type: 'exponentInteger', value });
  return parts;
}

function scientific({ notation, digits: options }, value) {
  const exponentOf = (decimal) => {
    const magnitude = magnitudeOf(decimal);
    return notation === 'engineering' ? Math.floor(magnitude / 3) * 3 : magnitude;
  };
  let exponent = isZero(value) ? 0 : exponentOf(value);
  let result = round(shifted(value, -exponent), options);
  if (!isZero(result) && !value.special) {
    const more = exponentOf(shifted(result, exponent));
    if (more !== exponent) {
      exponent = more;
      result = round(shifted(value, -exponent), options);
    }
  }
  return { digits: shown(result, options), exponent };
}

function compact(format, value) {
  const { digits: options, dataLocale } = format;
  const table = format.compact;
  const shiftOf = (magnitude) => table[Math.min(magnitude, table.length - 1)]?.shift ?? 0;
  let exponent = 0;
  let result = value;
  if (!value.special) {
    const magnitude = magnitudeOf(value);
    exponent = isZero(value) ? 0 : shiftOf(magnitude);
    result = round(shifted(value, -exponent), options);
    if (!isZero(value) && !isZero(result) && magnitudeOf(result) !== magnitude - exponent && shiftOf(magnitude + 1) !== exponent) {
      exponent = shiftOf(magnitude + 1);
      result = round(shifted(value, -exponent), options);
    }
  }
  const digits = shown(result, options);
  const magnitude = digits.isZero || digits.special ? 0 : magnitudeOf(result) + exponent;
  const entry = magnitude < 3 ? undefined : table[Math.min(magnitude, table.length - 1)];
  const byPlural = entry?.byPlural ?? {};
  const exact = digits.fraction === '' ? byPlural[digits.integer] : undefined;
  const pattern = exact ?? byPlural[pluralOf(dataLocale, 'cardinal', digits)] ?? byPlural.other;
  return { digits, exponent, compactPattern: pattern === undefined || isPlain(pattern) ? undefined : pattern };
}

/** Adds the name of the currency or unit. */
function named(format, parts, plural) {
  const { style, currencyDisplay, dataLocale, currency, notation } = format;
  if (style === 'unit') return isPercentPattern(format) ? parts : withUnit(format, parts, plural);
  // A compact percentage is formatted as a unit.
  if (style === 'percent' && notation === 'compact') return withUnit({ dataLocale, unit: 'percent', unitDisplay: 'short' }, parts, plural);
  if (style !== 'currency' || currencyDisplay !== 'name') return parts;
  const names = section(dataLocale, 'currencies')[currency] ?? {};
  const name = names[plural] ?? names.other ?? names.d ?? currency;
  const patterns = format.numbers.currency;
  const pattern = patterns[`unitPattern-count-${plural}`] ?? patterns['unitPattern-count-other'];
  return wrapped(pattern.replace('{1}', name), parts, 'currency');
}

/** The unit percent looks like a percentage unless spelled out. */
const isPercentPattern = ({ style, unit, unitDisplay, notation }) => style === 'unit' && unit === 'percent' && unitDisplay !== 'long' && notation !== 'compact';

function withUnit({ dataLocale, unit, unitDisplay }, parts, plural) {
  const units = section(dataLocale, 'units')[unitDisplay];
  const patternOf = (name) => units[name]?.[plural] ?? units[name]?.other;
  if (patternOf(unit) !== undefined) return wrapped(patternOf(unit), parts, 'unit');
  const [numerator, denominator] = unit.split('-per-');
  const inner = patternOf(numerator);
  const per = units[denominator].perUnitPattern;
  if (per !== undefined) return wrapped(per.replace('{0}', inner), parts, 'unit');
  const below = (units[denominator].one ?? units[denominator].other).replace('{0}', '').trim();
  return wrapped(units.per.replace('{0}', inner).replace('{1}', below), parts, 'unit');
}

export const currencyDigits = (currency) => (coreData().fractions[currency] ?? coreData().fractions.DEFAULT);
