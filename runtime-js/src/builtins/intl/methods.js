// Implementation of `toLocaleString` and related methods, loaded by `internal/locale-methods.js`.
import { toLowerCase, toUpperCase } from 'lmthing:internal/native/intl';
import { env } from 'lmthing:internal/native/process';
import { makeCollator } from './collator.js';
import { formatTime } from './date-format.js';
import { makeDateFormat } from './date-options.js';
import { canonicalizeLocaleList, defaultLocale } from './locales.js';
import { formatNumber, makeNumberFormat } from './number-format.js';
import { zoneNameOfDate } from './zone-names.js';
import { currentZone } from './zones.js';

const KEPT = 50;
const made = new Map();

/** Caches recent formats: scripts repeat the same ones. */
function kept(kind, locales, options, make) {
  const isPlain = (locales === undefined || typeof locales === 'string') && (options === undefined || typeof options === 'object');
  if (!isPlain) return make();
  const key = `${kind} ${env.TZ} ${locales} ${options === undefined ? '' : JSON.stringify(options)}`;
  let value = made.get(key);
  if (value === undefined) {
    value = make();
    if (made.size >= KEPT) made.delete(made.keys().next().value);
    made.set(key, value);
  }
  return value;
}

export function numberToLocaleString(value, locales, options) {
  return formatNumber(kept('number', locales, options, () => makeNumberFormat(locales, options)), value);
}

/** `kind` gives the required and default fields: any, date or time. */
export function dateToLocaleString(kind, time, locales, options) {
  if (Number.isNaN(time)) return 'Invalid Date';
  const defaults = kind === 'any' ? 'all' : kind;
  return formatTime(kept(kind, locales, options, () => makeDateFormat(locales, options, kind, defaults)), time);
}

export function arrayToLocaleString(array, locales, options) {
  const texts = [];
  for (let index = 0; index < array.length; index++) {
    const element = array[index];
    texts.push(element === undefined || element === null ? '' : String(element.toLocaleString(locales, options)));
  }
  return texts.join(',');
}

export function compareTexts(text, other, locales, options) {
  return kept('text', locales, options, () => makeCollator(locales, options)).compare(text, other);
}

/** Languages with special case mappings. */
const OWN_CASE = ['az', 'el', 'hy', 'lt', 'tr', 'nl'];

function caseChanger(plain, byLanguage) {
  return (text, locales) => {
    const [tag = defaultLocale()] = canonicalizeLocaleList(locales);
    const language = tag.split('-')[0];
    return OWN_CASE.includes(language) && text.isWellFormed() ? byLanguage(text, language) : plain.call(text);
  };
}

export const toLocaleUpperCase = caseChanger(String.prototype.toUpperCase, toUpperCase);
export const toLocaleLowerCase = caseChanger(String.prototype.toLowerCase, toLowerCase);

/** The zone name that `Date` appends. */
export function currentZoneName(time) {
  const zone = currentZone();
  // The most common case needs no tables.
  if (zone === 'UTC' && defaultLocale().startsWith('en')) return 'Coordinated Universal Time';
  const format = kept('zone', undefined, undefined, () => makeDateFormat(undefined, { timeZoneName: 'long' }));
  return zoneNameOfDate(format, zone, time);
}
