// `Intl.NumberFormat`: options; `number-writer.js` formats.
import { section } from './data.js';
import { toNumeric } from './decimal.js';
import { canonicalizeLocaleList, numberingSystems, readMatcher, resolveLocale, supportedLocalesOf } from './locales.js';
import { readDigitOptions } from './number-options.js';
import { rangeParts } from './number-range.js';
import { currencyDigits, numberParts, prepare } from './number-writer.js';
import { finish, stateOf, textOption, toOptions } from './options.js';
import { isKnownUnit } from './units.js';

const OWNER = 'Intl.NumberFormat';
const states = new WeakMap();

/** Resolves locale and options; also used by `toLocaleString`. */
export function makeNumberFormat(locales, options) {
  const requested = canonicalizeLocaleList(locales);
  const given = toOptions(options, OWNER);
  readMatcher(given, OWNER);
  const asked = textOption(given, 'numberingSystem', undefined, undefined, OWNER);
  if (asked !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(asked)) throw new RangeError(`Invalid numberingSystem : ${asked}`);
  const systems = (dataLocale) => numberingSystems(section(dataLocale, 'numbers').ns);
  const { locale, dataLocale, values } = resolveLocale(requested, { nu: systems }, { nu: asked?.toLowerCase() });
  const format = { locale, dataLocale, numberingSystem: values.nu };
  readStyle(format, given);
  const notation = textOption(given, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard', OWNER);
  format.notation = notation;
  let [least, most] = [0, format.style === 'percent' ? 0 : 3];
  if (format.style === 'currency' && notation !== 'compact') least = most = currencyDigits(format.currency);
  format.digits = readDigitOptions(given, least, most, notation);
  const compactDisplay = textOption(given, 'compactDisplay', ['short', 'long'], 'short', OWNER);
  if (notation === 'compact') format.compactDisplay = compactDisplay;
  format.useGrouping = readGrouping(given, notation);
  format.signDisplay = textOption(given, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto', OWNER);
  return prepare(format);
}

function readStyle(format, options) {
  format.style = textOption(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal', OWNER);
  const currency = textOption(options, 'currency', undefined, undefined, OWNER);
  if (currency !== undefined && !/^[a-z]{3}$/i.test(currency)) throw new RangeError(`Invalid currency code : ${currency}`);
  if (format.style === 'currency' && currency === undefined) throw new TypeError('Currency code is required with currency style.');
  const currencyDisplay = textOption(options, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol', OWNER);
  const currencySign = textOption(options, 'currencySign', ['standard', 'accounting'], 'standard', OWNER);
  const unit = textOption(options, 'unit', undefined, undefined, OWNER);
  if (unit !== undefined && !isKnownUnit(unit)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit}'`);
  if (format.style === 'unit' && unit === undefined) throw new TypeError('Unit is required with unit style.');
  const unitDisplay = textOption(options, 'unitDisplay', ['short', 'narrow', 'long'], 'short', OWNER);
  if (format.style === 'currency') Object.assign(format, { currency: currency.toUpperCase(), currencyDisplay, currencySign });
  if (format.style === 'unit') Object.assign(format, { unit, unitDisplay });
}

function readGrouping({ useGrouping }, notation) {
  const fallback = notation === 'compact' ? 'min2' : 'auto';
  if (useGrouping === undefined) return fallback;
  if (useGrouping === true) return 'always';
  if (useGrouping === false || useGrouping === null || useGrouping === 0 || useGrouping === '') return false;
  const text = String(useGrouping);
  if (text === 'true' || text === 'false') return fallback;
  if (!['min2', 'auto', 'always'].includes(text)) throw new RangeError(`Value ${text} out of range for ${OWNER} options property useGrouping`);
  return text;
}

const textOf = (parts) => {
  let text = '';
  for (const { value } of parts) text += value;
  return text;
};

export const formatNumber = (format, value) => textOf(numberParts(format, toNumeric(value)));

function NumberFormat(locales = undefined, options = undefined) {
  const object = new.target === undefined ? Object.create(NumberFormat.prototype) : Reflect.construct(Object, [], new.target);
  states.set(object, makeNumberFormat(locales, options));
  return object;
}

const unwrap = (object) => {
  const format = states.get(object);
  if (format === undefined) throw new TypeError('Method UnwrapNumberFormat called on incompatible receiver undefined');
  return format;
};

const range = (object, method, start, end) => {
  const format = stateOf(states, object, method);
  if (start === undefined || end === undefined) throw new TypeError(`Invalid ${start === undefined ? 'start' : 'end'} : undefined`);
  const [first, last] = [start, end].map(toNumeric);
  for (const [name, value] of [['start', first], ['end', last]]) {
    if (value.special === 'nan') throw new RangeError(`Invalid ${name} : NaN`);
  }
  return rangeParts(format, first, last);
};

const methods = {
  get format() {
    const format = unwrap(this);
    return (format.bound ??= Object.defineProperty((value) => formatNumber(format, value), 'name', { value: '' }));
  },
  formatToParts(value) {
    return numberParts(stateOf(states, this, 'Intl.NumberFormat.prototype.formatToParts'), toNumeric(value)).map(({ type, value: text }) => ({ type, value: text }));
  },
  formatRange(start, end) {
    return textOf(range(this, 'Intl.NumberFormat.prototype.formatRange', start, end));
  },
  formatRangeToParts(start, end) {
    return range(this, 'Intl.NumberFormat.prototype.formatRangeToParts', start, end);
  },
  resolvedOptions() {
    const { locale, numberingSystem, style, currency, currencyDisplay, currencySign, unit, unitDisplay, digits, useGrouping, notation, compactDisplay, signDisplay } = unwrap(this);
    return {
      locale, numberingSystem, style,
      ...(style === 'currency' && { currency, currencyDisplay, currencySign }),
      ...(style === 'unit' && { unit, unitDisplay }),
      ...digits.shown,
      useGrouping, notation,
      ...(notation === 'compact' && { compactDisplay }),
      signDisplay,
      ...digits.shownRounding,
    };
  },
};
for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
  Object.defineProperty(NumberFormat.prototype, name, { ...descriptor, enumerable: false });
}
Object.defineProperty(NumberFormat, 'length', { value: 0, configurable: true });
Object.defineProperty(NumberFormat, 'prototype', { writable: false });

export default finish(NumberFormat, OWNER, supportedLocalesOf(OWNER));
