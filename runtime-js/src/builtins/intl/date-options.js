// Options of `DateTimeFormat`, and the pattern they select.
import { section } from './data.js';
import { fill, patternsOf } from './date-patterns.js';
import { plainSkeleton, tokenize } from './date-skeleton.js';
import { calendarData, calendarNames } from './date-writer.js';
import { calendarsOf } from './locale-facts.js';
import { canonicalizeLocaleList, digitsOf, numberingSystems, readMatcher, resolveLocale } from './locales.js';
import { booleanOption, numberOption, textOption, toOptions } from './options.js';
import { canonicalZone, currentZone } from './zones.js';

const OWNER = 'Intl.DateTimeFormat';
const NUMERIC = ['numeric', '2-digit'];
const WIDTHS = ['narrow', 'short', 'long'];

/** Field options, their values, and the skeleton letters of each. */
const FIELDS = {
  weekday: { values: WIDTHS, letters: { narrow: 'EEEEE', long: 'EEEE', short: 'EEE' } },
  era: { values: WIDTHS, letters: { narrow: 'GGGGG', long: 'GGGG', short: 'GGG' } },
  year: { values: NUMERIC, letters: { '2-digit': 'yy', numeric: 'y' } },
  month: { values: [...NUMERIC, ...WIDTHS], letters: { narrow: 'MMMMM', long: 'MMMM', short: 'MMM', '2-digit': 'MM', numeric: 'M' } },
  day: { values: NUMERIC, letters: { '2-digit': 'dd', numeric: 'd' } },
  dayPeriod: { values: WIDTHS, letters: { narrow: 'BBBBB', long: 'BBBB', short: 'B' } },
  hour: { values: NUMERIC, letters: { '2-digit': 'jj', numeric: 'j' } },
  minute: { values: NUMERIC, letters: { '2-digit': 'mm', numeric: 'm' } },
  second: { values: NUMERIC, letters: { '2-digit': 'ss', numeric: 's' } },
  timeZoneName: {
    values: ['long', 'short', 'longOffset', 'shortOffset', 'longGeneric', 'shortGeneric'],
    letters: { long: 'zzzz', short: 'z', longOffset: 'OOOO', shortOffset: 'O', longGeneric: 'vvvv', shortGeneric: 'v' },
  },
};
const HOUR_LETTERS = { h11: 'K', h12: 'h', h23: 'H', h24: 'k' };
const CYCLES = Object.fromEntries(Object.entries(HOUR_LETTERS).map(([cycle, letter]) => [letter, cycle]));
const DATE_FIELDS = ['weekday', 'year', 'month', 'day'];
const TIME_FIELDS = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];

/**
 * Resolves locale and options. `required` (date, time, any) says which fields must be present, `defaults` (date, time,
 * all) which are added when none is; the methods of `Date` differ in these.
 */
export function makeDateFormat(locales, options, required = 'any', defaults = 'date') {
  const requested = canonicalizeLocaleList(locales);
  const given = toOptions(options);
  readMatcher(given, OWNER);
  const calendar = readIdentifier(given, 'calendar');
  const system = readIdentifier(given, 'numberingSystem');
  const hour12 = booleanOption(given, 'hour12', undefined);
  const cycle = textOption(given, 'hourCycle', Object.keys(HOUR_LETTERS), undefined, OWNER);
  const keys = {
    ca: (dataLocale, name) => supportedCalendars(name),
    hc: () => [undefined, ...Object.keys(HOUR_LETTERS)],
    nu: (dataLocale) => numberingSystems(section(dataLocale, 'numbers').ns),
  };
  const resolved = resolveLocale(requested, keys, { ca: calendar, nu: system, hc: hour12 === undefined ? cycle : undefined });
  const { dataLocale, name, values } = resolved;
  const locale = hour12 === undefined ? resolved.locale : resolved.locale.replace(/-hc-h\d\d/, '').replace(/-u$/, '');
  const format = { locale, name, dataLocale, calendar: values.ca, numberingSystem: values.nu };
  format.zone = readZone(given.timeZone);
  readFields(format, given, required, defaults);
  format.data = calendarData(dataLocale, format.calendar);
  format.native = nativeDigits(format.numberingSystem);
  choosePattern(format, hour12, values.hc);
  return format;
}

function readIdentifier(options, name) {
  const text = textOption(options, name, undefined, undefined, OWNER);
  if (text !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(text)) throw new RangeError(`Invalid ${name} : ${text}`);
  return text?.toLowerCase();
}

function supportedCalendars(locale) {
  const known = calendarNames();
  const preferred = calendarsOf(locale).find((name) => known.includes(name));
  return [...new Set([preferred, ...known])];
}

function readZone(text) {
  if (text === undefined) return currentZone();
  const zone = canonicalZone(String(text));
  if (zone === undefined) throw new RangeError(`Invalid time zone specified: ${text}`);
  return zone;
}

export function nativeDigits(system) {
  if (system === 'latn') return (text) => text;
  const digits = [...digitsOf(system)];
  return (text) => text.replace(/\d/g, (digit) => digits[digit]);
}

function readFields(format, options, required, defaults) {
  const fields = {};
  for (const name of ['weekday', 'era', 'year', 'month', 'day', 'dayPeriod', 'hour', 'minute', 'second']) {
    fields[name] = textOption(options, name, FIELDS[name].values, undefined, OWNER);
  }
  fields.fractionalSecondDigits = numberOption(options, 'fractionalSecondDigits', 1, 3, undefined);
  fields.timeZoneName = textOption(options, 'timeZoneName', FIELDS.timeZoneName.values, undefined, OWNER);
  textOption(options, 'formatMatcher', ['basic', 'best fit'], 'best fit', OWNER);
  const styles = ['full', 'long', 'medium', 'short'];
  const dateStyle = textOption(options, 'dateStyle', styles, undefined, OWNER);
  const timeStyle = textOption(options, 'timeStyle', styles, undefined, OWNER);
  if (dateStyle !== undefined || timeStyle !== undefined) {
    const extra = Object.keys(fields).find((name) => fields[name] !== undefined);
    if (extra !== undefined) throw new TypeError(`Can't set option ${extra} when ${dateStyle ? 'dateStyle' : 'timeStyle'} is used`);
    if (required === 'date' && timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
    if (required === 'time' && dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
    Object.assign(format, { dateStyle, timeStyle, fields: {} });
    return;
  }
  const isSet = (names) => names.some((name) => fields[name] !== undefined);
  const needed = { date: DATE_FIELDS, time: TIME_FIELDS, any: [...DATE_FIELDS, ...TIME_FIELDS] }[required];
  if (!isSet(needed)) {
    if (defaults !== 'time') fields.year = fields.month = fields.day = 'numeric';
    if (defaults !== 'date') fields.hour = fields.minute = fields.second = 'numeric';
  }
  format.fields = fields;
}

/** From the option, the locale tag, or the region. */
function hourCycleOf(format, hour12, cycle) {
  const own = CYCLES[patternsOf(format.dataLocale, format.locale, format.calendar, format.data).hour];
  if (hour12 === undefined) return cycle ?? own;
  // As specified at the time of Node 20: the other clock with the same start, 11 with 23 and 12 with 24.
  const startsAtZero = own === 'h11' || own === 'h23';
  if (hour12) return startsAtZero ? 'h11' : 'h12';
  return startsAtZero ? 'h23' : 'h24';
}

function choosePattern(format, hour12, cycle) {
  const hasHour = format.timeStyle !== undefined || format.fields.hour !== undefined;
  if (hasHour) format.hourCycle = hourCycleOf(format, hour12, cycle);
  const patterns = patternsOf(format.dataLocale, format.locale, format.calendar, format.data);
  format.patterns = patterns;
  if (format.dateStyle !== undefined || format.timeStyle !== undefined) {
    format.pattern = stylePattern(format, patterns);
  } else {
    format.skeleton = fieldSkeleton(format);
    format.pattern = withHours(patterns.best(format.skeleton, true), format.hourCycle);
  }
}

function fieldSkeleton({ fields, hourCycle }) {
  let skeleton = '';
  for (const [name, { letters }] of Object.entries(FIELDS)) {
    if (fields[name] === undefined) continue;
    if (name === 'timeZoneName' && fields.fractionalSecondDigits !== undefined) skeleton += 'S'.repeat(fields.fractionalSecondDigits);
    const text = letters[fields[name]];
    skeleton += name === 'hour' ? HOUR_LETTERS[hourCycle].repeat(text.length) : text;
  }
  if (fields.fractionalSecondDigits !== undefined && fields.timeZoneName === undefined) skeleton += 'S'.repeat(fields.fractionalSecondDigits);
  return skeleton;
}

function stylePattern({ data, dateStyle, timeStyle, hourCycle }, patterns) {
  if (timeStyle === undefined) return data.date[dateStyle];
  const time = data.time[timeStyle];
  const pattern = dateStyle === undefined ? time : fill(data.glueAt[dateStyle], time, data.date[dateStyle]);
  const own = tokenize(pattern).map(({ letter }) => CYCLES[letter]).find(Boolean);
  if (own === hourCycle) return pattern;
  const skeleton = plainSkeleton(pattern).replace(/[abB]+/g, '').replace(/[hHkK]/g, HOUR_LETTERS[hourCycle]);
  return withHours(patterns.best(skeleton, true), hourCycle);
}

/** Replaces the hour letters of a pattern. */
export function withHours(pattern, cycle) {
  if (cycle === undefined) return pattern;
  let quoted = false;
  let result = '';
  for (const character of pattern) {
    if (character === "'") quoted = !quoted;
    const isHour = !quoted && 'HhKk'.includes(character);
    // A day directly before the hour needs a space once the hour is separate.
    if (isHour && result.endsWith('d')) result += ' ';
    result += isHour ? HOUR_LETTERS[cycle] : character;
  }
  return result;
}
