// Formats the fields of a time by a pattern, into parts.
import { coreData, eraData, section } from './data.js';
import { tokenize } from './date-skeleton.js';
import { offsetAt } from './zones.js';
import { zoneText } from './zone-names.js';

/** `[era, year]` of a Gregorian year, month and day. */
const CALENDARS = {
  gregory: (year) => (year > 0 ? ['1', year] : ['0', 1 - year]),
  buddhist: (year) => ['0', year + 543],
  roc: (year) => (year > 1911 ? ['1', year - 1911] : ['0', 1912 - year]),
  japanese: (year, month, day) => {
    const date = year * 10000 + month * 100 + day;
    const era = JAPANESE_ERAS.find(([, start]) => date >= start);
    return era === undefined ? (year > 0 ? ['ce', year] : ['bce', 1 - year]) : [era[0], year - Math.floor(era[1] / 10000) + 1];
  },
};
const JAPANESE_ERAS = [['236', 20190501], ['235', 19890108], ['234', 19261225], ['233', 19120730], ['232', 18681023]];

export const calendarNames = () => Object.keys(CALENDARS);

export function fieldsOf(format, time) {
  const date = new Date(time + offsetAt(format.zone, time));
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const [era, calendarYear] = CALENDARS[format.calendar](year, month + 1, day);
  return {
    time, era, year: calendarYear, extendedYear: year, month, day, weekday: date.getUTCDay(), hour: date.getUTCHours(),
    minute: date.getUTCMinutes(), second: date.getUTCSeconds(), millisecond: date.getUTCMilliseconds(),
  };
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WIDTHS = { 4: 'wide', 5: 'narrow', 6: 'short' };
const widthOf = (length) => WIDTHS[length] ?? 'abbreviated';
const ERA_WIDTHS = { wide: 'eraNames', narrow: 'eraNarrow', abbreviated: 'eraAbbr' };

export const TYPES = {
  G: 'era', y: 'year', Y: 'year', u: 'year', U: 'yearName', r: 'relatedYear', M: 'month', L: 'month', E: 'weekday', c: 'weekday', e: 'weekday',
  d: 'day', a: 'dayPeriod', b: 'dayPeriod', B: 'dayPeriod', H: 'hour', h: 'hour', K: 'hour', k: 'hour', m: 'minute', s: 'second',
  S: 'fractionalSecond', z: 'timeZoneName', v: 'timeZoneName', O: 'timeZoneName',
};

export function dateParts(format, pattern, fields) {
  const parts = [];
  const tokens = tokenize(pattern);
  const letters = new Set(tokens.map(({ letter }) => letter));
  for (const { literal, text, letter } of tokens) {
    if (literal !== undefined) parts.push({ type: 'literal', value: literal });
    else parts.push({ type: TYPES[letter] ?? 'literal', value: fieldText(format, fields, letter, text.length, letters) });
  }
  return parts;
}

function fieldText(format, fields, letter, length, letters) {
  const { data } = format;
  const number = (value, least = length) => format.native(String(value).padStart(least, '0'));
  switch (letter) {
    case 'G': return eraName(data, fields.era, widthOf(length));
    case 'y': return length === 2 ? number(fields.year % 100, 2) : number(fields.year);
    case 'u': case 'r': case 'U': case 'Y': return number(fields.extendedYear);
    case 'M': return length <= 2 ? number(fields.month + 1) : data.months.format[widthOf(length)][fields.month + 1];
    case 'L': return length <= 2 ? number(fields.month + 1) : data.months['stand-alone'][widthOf(length)][fields.month + 1];
    case 'E': case 'e': return data.days.format[widthOf(length)][WEEKDAYS[fields.weekday]];
    case 'c': return data.days['stand-alone'][widthOf(length)][WEEKDAYS[fields.weekday]];
    case 'd': return number(fields.day);
    case 'a': return data.dayPeriods.format[widthOf(length)][fields.hour < 12 ? 'am' : 'pm'];
    case 'B': case 'b': return dayPeriod(format, fields, widthOf(length), letters);
    case 'H': return number(fields.hour);
    case 'k': return number(fields.hour || 24);
    case 'K': return number(fields.hour % 12);
    case 'h': return number(fields.hour % 12 || 12);
    case 'm': return number(fields.minute);
    case 's': return number(fields.second);
    case 'S': return format.native(String(fields.millisecond).padStart(3, '0').slice(0, length).padEnd(length, '0'));
    case 'z': case 'v': case 'O': return zoneText(format, format.zone, fields.time, letter, length === 4);
    default: return '';
  }
}

function eraName(data, era, width) {
  const names = data.eras[ERA_WIDTHS[width]] ?? data.eras.eraAbbr;
  return names[era] ?? data.eras.eraAbbr[era] ?? '';
}

const minutesOf = (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** The flexible day period: "in the evening". */
function dayPeriod({ data, dataLocale }, { hour, minute, second }, width, letters) {
  const rules = coreData().dayPeriods[dataLocale] ?? coreData().dayPeriods[dataLocale.split('-')[0]];
  const names = data.dayPeriods.format[width];
  const amOrPm = names[hour < 12 ? 'am' : 'pm'];
  if (rules === undefined) return amOrPm;
  const exactly = (letters.has('m') ? minute === 0 : true) && (letters.has('s') ? second === 0 : true);
  if (exactly && hour === 12 && rules.noon && names.noon !== undefined) return names.noon;
  const now = hour * 60;
  const period = Object.entries(rules).find(([, { _from, _before }]) => {
    if (_from === undefined) return false;
    const [from, before] = [minutesOf(_from), minutesOf(_before)];
    return from < before ? now >= from && now < before : now >= from || now < before;
  })?.[0];
  return names[period] ?? amOrPm;
}

const calendars = new Map();

/** Data of a calendar: Gregorian, or the generic patterns with the calendar's eras. */
export function calendarData(dataLocale, calendar) {
  const gregorian = section(dataLocale, 'gregorian');
  if (calendar === 'gregory') return gregorian;
  const key = `${dataLocale} ${calendar}`;
  if (!calendars.has(key)) calendars.set(key, otherCalendar(dataLocale, calendar, gregorian));
  return calendars.get(key);
}

function otherCalendar(dataLocale, calendar, gregorian) {
  const eras = erasOf(dataLocale, calendar);
  // Thai uses Buddhist years without naming the era.
  if (calendar === 'buddhist' && dataLocale.startsWith('th')) {
    const date = { ...gregorian.date, long: 'd MMMM y' };
    const times = Object.entries(section(dataLocale, 'generic').available).filter(([skeleton]) => /^[EBhHmsv]*[hHms][EBhHmsv]*$/.test(skeleton));
    return { ...gregorian, eras, date, available: { ...gregorian.available, ...Object.fromEntries(times), y: 'G y' } };
  }
  const { months, days, dayPeriods } = gregorian;
  const generic = section(dataLocale, 'generic');
  // Chinese and Japanese write their own eras directly before the year.
  const isOwn = (calendar === 'roc' && dataLocale.startsWith('zh')) || (calendar === 'japanese' && dataLocale.startsWith('ja'));
  const closed = (patterns) => Object.fromEntries(Object.entries(patterns).map(([key, pattern]) => [key, pattern.replace(/(G+) y/, '$1y')]));
  const patterns = isOwn ? { date: closed(generic.date), available: closed(generic.available) } : undefined;
  return { ...generic, ...patterns, months, days, dayPeriods, eras };
}

function erasOf(dataLocale, calendar) {
  const all = eraData();
  const own = all[dataLocale.startsWith('zh-Hant') ? 'zh-Hant' : dataLocale.split('-')[0]]?.[calendar];
  const widths = Object.entries(all.en[calendar]).map(([width, names]) => [width, { ...names, ...own?.[width] }]);
  return Object.fromEntries(widths);
}
