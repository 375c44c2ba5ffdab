// Selects the parts of a locale's CLDR pages to store, in CLDR's structure. Each section is read by one part of `Intl`.
import { UNITS } from './units.mjs';

/** A copy without the keys that `drop` selects. */
function without(object, drop) {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !drop(key)));
}

const isVariant = (key) => key.includes('-alt-');

/** Symbols and patterns of the default and the Western digits. */
function numbers({ numbers: page }) {
  const own = page.defaultNumberingSystem;
  const systems = new Set([own, 'latn']);
  const kept = { ns: own, native: page.otherNumberingSystems.native, min: Number(page.minimumGroupingDigits) };
  for (const system of systems) {
    const part = (name) => page[`${name}-numberSystem-${system}`];
    if (part('symbols') === undefined) continue;
    const currency = part('currencyFormats');
    kept[system] = {
      symbols: without(part('symbols'), isVariant),
      decimal: part('decimalFormats').standard,
      long: part('decimalFormats').long.decimalFormat,
      short: part('decimalFormats').short.decimalFormat,
      percent: part('percentFormats').standard,
      scientific: part('scientificFormats').standard,
      currency: without(currency, (key) => isVariant(key) || key === 'short' || key.endsWith('noCurrency')),
      currencyShort: currency.short?.standard ?? {},
      range: part('miscPatterns').range,
      approximately: part('miscPatterns').approximately,
    };
  }
  return kept;
}

function currencies({ currencies: page }) {
  return Object.fromEntries(Object.entries(page.numbers.currencies).map(([code, names]) => {
    const plurals = Object.entries(names).filter(([key]) => key.startsWith('displayName-count-'));
    const kept = { s: names.symbol, n: names['symbol-alt-narrow'], f: names['symbol-alt-formal'], d: names.displayName };
    for (const [key, name] of plurals) kept[key.slice(18)] = name;
    for (const key in kept) if (kept[key] === undefined) delete kept[key];
    return [code, kept];
  }));
}

function units({ units: page }) {
  const kept = {};
  for (const width of ['long', 'short', 'narrow']) {
    const entries = Object.entries(page[width]).map(([id, patterns]) => [id.replace(/^\w+-/, ''), patterns]);
    kept[width] = {
      per: page[width].per.compoundUnitPattern,
      ...Object.fromEntries(entries.filter(([id]) => UNITS.has(id)).map(([id, patterns]) => [
        id,
        Object.fromEntries(Object.entries(patterns).filter(([key]) => /^unitPattern-count-\w+$|^perUnitPattern$/.test(key))
          .map(([key, value]) => [key.replace('unitPattern-count-', ''), value])),
      ])),
    };
  }
  return kept;
}

function dates(calendar) {
  const formats = calendar.dateTimeFormats;
  const simple = (patterns) => Object.fromEntries(['full', 'long', 'medium', 'short'].map((style) => [style, patterns[style]._value ?? patterns[style]]));
  const numbersOf = Object.entries(calendar.dateFormats).filter(([, pattern]) => pattern._numbers);
  return {
    months: calendar.months,
    days: calendar.days,
    dayPeriods: mapValues(calendar.dayPeriods, (widths) => mapValues(widths, (names) => without(names, isVariant))),
    eras: mapValues(calendar.eras, (names) => without(names, isVariant)),
    monthPatterns: calendar.monthPatterns,
    cyclicNameSets: calendar.cyclicNameSets && { years: calendar.cyclicNameSets.years, zodiacs: undefined },
    date: simple(calendar.dateFormats),
    dateNumbers: numbersOf.length ? Object.fromEntries(numbersOf.map(([style, { _numbers }]) => [style, _numbers])) : undefined,
    time: simple(calendar.timeFormats),
    glue: simple(formats),
    glueAt: simple(calendar['dateTimeFormats-atTime'].standard),
    available: sorted(mapValues(without(formats.availableFormats, (key) => isVariant(key) || key.includes('-count-')), (pattern) => pattern._value ?? pattern)),
    append: formats.appendItems,
    intervals: mapValues(formats.intervalFormats, (differences) => typeof differences === 'string' ? differences : without(differences, isVariant)),
  };
}

/** ICU's order, which decides between equally near patterns. */
const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

const mapValues = (object, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

function fields({ dateFields: { dates } }) {
  return dates.fields;
}

function zones({ timeZoneNames: { dates: { timeZoneNames: page } } }) {
  const kept = { ...without(page, isVariant), zone: undefined, cities: {}, zones: {} };
  const walk = (node, path) => {
    if (node._type === 'zone') {
      const name = path.join('/');
      if (node.exemplarCity !== undefined) kept.cities[name] = node.exemplarCity;
      if (node.long || node.short) kept.zones[name] = { long: node.long, short: node.short };
      return;
    }
    for (const [key, child] of Object.entries(node)) if (typeof child === 'object') walk(child, [...path, key]);
  };
  walk(page.zone, []);
  return kept;
}

function lists({ listPatterns: { listPatterns } }) {
  return listPatterns;
}

function names({ languages, territories, scripts, variants, localeDisplayNames: page }) {
  const { localeDisplayPattern, keys, types } = page.localeDisplayNames;
  return {
    languages: languages.localeDisplayNames.languages,
    territories: territories.localeDisplayNames.territories,
    scripts: scripts.localeDisplayNames.scripts,
    variants: variants.localeDisplayNames.variants,
    pattern: localeDisplayPattern,
    keys,
    types,
  };
}

/** Non-Gregorian calendars with their own pages. */
export const CALENDARS = ['generic', 'buddhist', 'japanese', 'roc', 'persian', 'hebrew', 'islamic', 'indian', 'coptic', 'ethiopic', 'chinese', 'dangi'];

/** Sections by the letters that name them in the archive. */
export function sectionsOf(pages) {
  const main = {
    numbers: numbers(pages.numbers),
    currencies: currencies(pages),
    units: units(pages.units),
    gregorian: dates(pages['ca-gregorian'].dates.calendars.gregorian),
    fields: fields(pages),
    zones: zones(pages),
    lists: lists(pages),
    names: names(pages),
  };
  for (const calendar of CALENDARS) {
    const page = pages[`ca-${calendar}`];
    if (page !== undefined) main[calendar] = dates(page.dates.calendars[calendar]);
  }
  return main;
}
