// The class `Intl.DateTimeFormat`; `date-options.js` selects the pattern, `date-writer.js` formats.
import { makeDateFormat } from './date-options.js';
import { dateRange, isOneTime } from './date-range.js';
import { dateParts, fieldsOf } from './date-writer.js';
import { supportedLocalesOf } from './locales.js';
import { finish, stateOf } from './options.js';

const OWNER = 'Intl.DateTimeFormat';
const states = new WeakMap();

function toTime(value, error = RangeError) {
  const time = value === undefined ? Date.now() : Number(value);
  if (!(Math.abs(time) <= 8.64e15)) throw new error('Invalid time value');
  return Math.trunc(time) + 0;
}

const textOf = (parts) => {
  let text = '';
  for (const { value } of parts) text += value;
  return text;
};

/** `format` comes from `makeDateFormat`. */
export function formatTime(format, time) {
  // V8 writes a plain space before AM and PM, since scripts split at it; parts and ranges have the narrow one.
  return textOf(dateParts(format, format.pattern, fieldsOf(format, time))).replaceAll('\u202f', ' ');
}

function DateTimeFormat(locales = undefined, options = undefined) {
  const object = new.target === undefined ? Object.create(DateTimeFormat.prototype) : Reflect.construct(Object, [], new.target);
  states.set(object, makeDateFormat(locales, options));
  return object;
}

const range = (object, method, start, end) => {
  const format = stateOf(states, object, `${OWNER}.prototype.${method}`);
  if (start === undefined || end === undefined) throw new TypeError('Invalid time value');
  return [format, toTime(start), toTime(end)];
};

const methods = {
  get format() {
    const format = stateOf(states, this, 'get Intl.DateTimeFormat.prototype.format');
    return (format.bound ??= Object.defineProperty((date) => formatTime(format, toTime(date)), 'name', { value: '' }));
  },
  formatToParts(date) {
    const format = stateOf(states, this, 'Intl.DateTimeFormat.prototype.formatToParts');
    return dateParts(format, format.pattern, fieldsOf(format, toTime(date)));
  },
  formatRange(start, end) {
    const [format, from, to] = range(this, 'formatRange', start, end);
    return isOneTime(format, from, to) ? formatTime(format, from) : textOf(dateRange(format, from, to));
  },
  formatRangeToParts(start, end) {
    return dateRange(...range(this, 'formatRangeToParts', start, end));
  },
  resolvedOptions() {
    const { locale, calendar, numberingSystem, zone, hourCycle, dateStyle, timeStyle, pattern } = stateOf(states, this, 'Intl.DateTimeFormat.prototype.resolvedOptions');
    const result = { locale, calendar, numberingSystem, timeZone: zone };
    if (hourCycle !== undefined) Object.assign(result, { hourCycle, hour12: hourCycle === 'h11' || hourCycle === 'h12' });
    if (dateStyle === undefined && timeStyle === undefined) Object.assign(result, fieldsInPattern(pattern, stateOf(states, this).fields));
    if (dateStyle !== undefined) result.dateStyle = dateStyle;
    if (timeStyle !== undefined) result.timeStyle = timeStyle;
    return result;
  },
};

const SHOWN = [
  ['weekday', /EEEEE/, 'narrow'], ['weekday', /EEEE/, 'long'], ['weekday', /EEE/, 'short'],
  ['weekday', /ccccc/, 'narrow'], ['weekday', /cccc/, 'long'], ['weekday', /ccc/, 'short'],
  ['era', /GGGGG/, 'narrow'], ['era', /GGGG/, 'long'], ['era', /G/, 'short'],
  ['year', /yy/, '2-digit'], ['year', /y/, 'numeric'],
  ['month', /MMMMM/, 'narrow'], ['month', /MMMM/, 'long'], ['month', /MMM/, 'short'], ['month', /MM/, '2-digit'], ['month', /M/, 'numeric'],
  ['month', /LLLLL/, 'narrow'], ['month', /LLLL/, 'long'], ['month', /LLL/, 'short'], ['month', /LL/, '2-digit'], ['month', /L/, 'numeric'],
  ['day', /dd/, '2-digit'], ['day', /d/, 'numeric'],
  ['dayPeriod', /BBBBB|bbbbb/, 'narrow'], ['dayPeriod', /BBBB|bbbb/, 'long'], ['dayPeriod', /B|b/, 'short'],
  ['hour', /HH|hh|KK|kk/, '2-digit'], ['hour', /H|h|K|k/, 'numeric'],
  ['minute', /mm/, '2-digit'], ['minute', /m/, 'numeric'], ['second', /ss/, '2-digit'], ['second', /s/, 'numeric'],
];

/** Resolved from the pattern, not the request. V8 also counts letters in quoted words. */
function fieldsInPattern(pattern, { fractionalSecondDigits, timeZoneName }) {
  const result = {};
  for (const [name, expression, value] of SHOWN) if (!(name in result) && expression.test(pattern)) result[name] = value;
  if (fractionalSecondDigits !== undefined) result.fractionalSecondDigits = fractionalSecondDigits;
  if (timeZoneName !== undefined) result.timeZoneName = timeZoneName;
  return result;
}

for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
  Object.defineProperty(DateTimeFormat.prototype, name, { ...descriptor, enumerable: false });
}
Object.defineProperty(DateTimeFormat, 'length', { value: 0, configurable: true });
Object.defineProperty(DateTimeFormat, 'prototype', { writable: false });

export default finish(DateTimeFormat, OWNER, supportedLocalesOf(OWNER));
