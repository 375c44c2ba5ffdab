// Calendars, hour cycles and weeks of a locale.
import { coreData } from './data.js';
import { maximized } from './locales.js';

const NAMES = { gregorian: 'gregory', 'ethiopic-amete-alem': 'ethioaa' };

export function calendarsOf(locale) {
  const [, , region] = maximized(locale);
  const { calendars } = coreData();
  const list = calendars[region] ?? calendars['001'];
  return (Array.isArray(list) ? list : String(list).split(' ')).map((name) => NAMES[name] ?? name);
}

const DAYS = { mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6, sun: 7 };

export function weekOf(locale) {
  const [, , region] = maximized(locale);
  const { week } = coreData();
  const of = (table) => table[region] ?? table['001'];
  const [start, end] = [DAYS[of(week.weekendStart)], DAYS[of(week.weekendEnd)]];
  const weekend = [];
  for (let day = start; ; day = (day % 7) + 1) {
    weekend.push(day);
    if (day === end) break;
  }
  return { firstDay: DAYS[of(week.firstDay)], weekend: weekend.sort((a, b) => a - b), minimalDays: Number(of(week.minDays)) };
}

export function hourCyclesOf(locale) {
  const [language, , region] = maximized(locale);
  const { hours } = coreData();
  const letter = (hours[`${language}-${region}`] ?? hours[region] ?? hours['001'])[0];
  return [{ h: 'h12', H: 'h23', K: 'h11', k: 'h24' }[letter]];
}
