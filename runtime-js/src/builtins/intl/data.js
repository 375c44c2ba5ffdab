// The locale data: sections are read when they are asked for, and stay. A regional form is its parent with changes.
import { readSection } from 'lmthing:internal/native/intl';

const read = (key) => {
  const text = readSection(key);
  return text === undefined ? undefined : JSON.parse(text);
};

let core;
/** What belongs to no locale of its own: which there are, plural rules, digits, hours by region. */
export const coreData = () => (core ??= read('core'));

let zones;
/** Names of time zones that mean the same, their regions, and which name (of several zones) they bear when. */
export const zoneData = () => (zones ??= read('zones'));

let eras;
/** The eras of calendars other than the Gregorian one, by language. */
export const eraData = () => (eras ??= read('eras'));

const sections = new Map();

/** A section of a locale that has pages of its own: `resolveLocale` tells which one that is. */
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

/** `parent` with the changes laid over it; null takes a key away (`locales/difference.mjs` makes them). */
function changed(parent, changes) {
  if (!isPlainObject(parent) || !isPlainObject(changes)) return changes;
  const result = {};
  // What is the region's own comes first: the order decides between patterns that are equally near.
  for (const [key, change] of Object.entries(changes)) {
    if (change !== null) result[key] = key in parent ? changed(parent[key], change) : change;
  }
  for (const [key, value] of Object.entries(parent)) if (!(key in changes)) result[key] = value;
  return result;
}

const isPlainObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
