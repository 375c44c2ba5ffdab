// Locale data: sections are read on first use and cached. A regional locale is stored as changes to its parent.
import { readSection } from 'lmthing:internal/native/intl';

const read = (key) => {
  const text = readSection(key);
  return text === undefined ? undefined : JSON.parse(text);
};

let core;
/** Data independent of locales: available locales, plural rules, digits, hour cycles by region. */
export const coreData = () => (core ??= read('core'));

let zones;
/** Aliases of time zones, their regions, and their metazones by time. */
export const zoneData = () => (zones ??= read('zones'));

let eras;
/** Eras of calendars other than the Gregorian one, by language. */
export const eraData = () => (eras ??= read('eras'));

const sections = new Map();

/** A section of a locale that has data of its own, as `resolveLocale` determines it. */
export function section(locale, name) {
  const key = `${locale}/${name}`;
  if (!sections.has(key)) {
    const parent = coreData().parents[locale];
    const inherited = parent === undefined ? undefined : section(parent, name);
    const own = read(key);
    sections.set(key, own === undefined ? (inherited ?? {}) : inherited === undefined ? own : changed(inherited, own));
  }
  return sections.get(key);
}

/** Applies `changes` to `parent`; null removes a key (`locales/difference.mjs` makes them). */
function changed(parent, changes) {
  if (!isPlainObject(parent) || !isPlainObject(changes)) return changes;
  const result = {};
  // The region's own entries come first: order decides between equally near patterns.
  for (const [key, change] of Object.entries(changes)) {
    if (change !== null) result[key] = key in parent ? changed(parent[key], change) : change;
  }
  for (const [key, value] of Object.entries(parent)) if (!(key in changes)) result[key] = value;
  return result;
}

const isPlainObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
