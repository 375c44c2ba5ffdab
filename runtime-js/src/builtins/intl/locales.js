// Locale negotiation: canonical names, the default locale, and the best available match.
import { canonicalize, defaultLocaleName, maximize } from 'lmthing:internal/native/intl';
import { coreData } from './data.js';
import { textOption, toOptions } from './options.js';

const INCORRECT = 'Incorrect locale information provided';

const canonicalNames = new Map();

export function canonicalLocale(tag) {
  let name = canonicalNames.get(tag);
  if (name === undefined) {
    // The parser accepts underscores, unlike the standard.
    name = tag.includes('_') ? undefined : canonicalize(tag);
    if (name === undefined) throw new RangeError(`${INCORRECT}`);
    canonicalNames.set(tag, name);
  }
  return name;
}

/** Tags of `Intl.Locale` objects; filled by `locale-class.js`. */
export const localeTags = new WeakMap();

export function canonicalizeLocaleList(locales) {
  if (locales === undefined) return [];
  if (typeof locales === 'string') return [canonicalLocale(locales)];
  if (locales === null) throw new TypeError('Cannot convert undefined or null to object');
  if (localeTags.has(locales)) return [localeTags.get(locales)];
  const list = Object(locales);
  const seen = new Set();
  for (let index = 0; index < Math.min(Number(list.length) || 0, Number.MAX_SAFE_INTEGER); index++) {
    if (!(index in list)) continue;
    const value = list[index];
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
      throw new TypeError('Language ID should be string or object.');
    }
    seen.add(localeTags.get(value) ?? canonicalLocale(String(value)));
  }
  return [...seen];
}

let ownDefault;
/** The locale of the environment, from `LC_ALL`, `LC_MESSAGES` and `LANG` as in Node. */
export function defaultLocale() {
  if (ownDefault === undefined) {
    const name = defaultLocaleName();
    ownDefault = (name !== undefined && canonicalize(name)) || 'en-US';
  }
  return ownDefault;
}

let available;
/** Whether there is data under this exact name. */
export function isAvailable(locale) {
  available ??= new Set([...coreData().locales.filter((name) => name !== 'und'), ...Object.keys(coreData().synonyms)]);
  return available.has(locale);
}

export const withoutExtensions = (tag) => tag.replace(/-[a-wyz0-9]-.*$|-x-.*$/i, '');

/** The longest available prefix of a name. */
function bestAvailable(locale, isKnown = isAvailable) {
  for (let name = locale; name !== ''; name = name.slice(0, Math.max(name.lastIndexOf('-'), 0))) {
    if (isKnown(name)) return name;
  }
  return undefined;
}

/** The name under which the data of an available locale is stored. */
export function dataLocaleOf(locale) {
  const { locales, synonyms } = coreData();
  const name = bestAvailable(locale);
  if (name === undefined) return 'und';
  return synonyms[name] ?? (locales.includes(name) ? name : 'und');
}

/** The keywords of the `u` extension. */
export function unicodeKeywords(tag) {
  const parts = tag.split('-');
  const start = parts.indexOf('u');
  const keywords = {};
  if (start < 0 || parts.slice(0, start).includes('x')) return keywords;
  let key;
  for (const part of parts.slice(start + 1)) {
    if (part.length === 1) break;
    if (part.length === 2) keywords[(key = part)] ??= '';
    else if (key !== undefined) keywords[key] += keywords[key] === '' ? part : `-${part}`;
  }
  return keywords;
}

/**
 * The locale to use: `{locale, dataLocale, values}`. `keys` has for each keyword a function that returns its possible
 * values for a data locale, the default first. `wanted` are values from options, which take precedence. `isKnown` tests
 * whether the constructor has data for a locale.
 */
export function resolveLocale(requested, keys = {}, wanted = {}, isKnown = isAvailable) {
  const best = (tag) => bestAvailable(withoutExtensions(tag), isKnown);
  let found = requested.map((tag) => [tag, best(tag)]).find(([, name]) => name !== undefined);
  found ??= [defaultLocale(), best(defaultLocale()) ?? withoutExtensions(defaultLocale())];
  const [tag, name] = found;
  const keywords = unicodeKeywords(tag);
  const dataLocale = dataLocaleOf(name);
  const values = {};
  let extension = '';
  for (const [key, valuesOf] of Object.entries(keys)) {
    const allowed = valuesOf(dataLocale, name);
    let value = allowed[0];
    const asked = keywords[key] === '' ? 'true' : keywords[key];
    let fromTag = false;
    if (asked !== undefined && allowed.includes(asked)) {
      value = asked;
      fromTag = true;
    }
    const option = wanted[key];
    if (option !== undefined && option !== value && allowed.includes(option)) {
      value = option;
      fromTag = false;
    }
    values[key] = value;
    if (fromTag) extension += value === 'true' ? `-${key}` : `-${key}-${value}`;
  }
  return { locale: extension === '' ? name : `${name}-u${extension}`, name, dataLocale, values };
}

export function readMatcher(options, owner) {
  textOption(options, 'localeMatcher', ['lookup', 'best fit'], 'best fit', owner);
}

export const supportedLocalesOf = (owner) => (locales, options) => {
  const requested = canonicalizeLocaleList(locales);
  if (options !== undefined) readMatcher(toOptions(options), owner);
  return requested.filter((tag) => bestAvailable(withoutExtensions(tag)) !== undefined);
};

export const digitsOf = (system) => coreData().digits[system];

/** Its own numbering system first. */
export function numberingSystems(own) {
  return [own, ...Object.keys(coreData().digits).filter((system) => system !== own)];
}

const maximizedNames = new Map();

/** With likely subtags for language, script and region. */
export function maximized(locale) {
  const name = withoutExtensions(locale);
  if (!maximizedNames.has(name)) {
    const [language, ...parts] = (maximize(name) ?? name).split('-');
    const script = parts.find((part) => /^[A-Z][a-z]{3}$/.test(part));
    const region = parts.find((part) => /^([A-Z]{2}|\d{3})$/.test(part));
    maximizedNames.set(name, [language, script, region]);
  }
  return maximizedNames.get(name);
}
