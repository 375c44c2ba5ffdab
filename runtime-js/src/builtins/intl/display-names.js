import { section } from './data.js';
import { canonicalLocale, canonicalizeLocaleList, readMatcher, resolveLocale, supportedLocalesOf } from './locales.js';
import { fill } from './date-patterns.js';
import { finish, stateOf, textOption, toOptionsObject } from './options.js';

const OWNER = 'Intl.DisplayNames';
const states = new WeakMap();
const TYPES = ['language', 'region', 'script', 'currency', 'calendar', 'dateTimeField'];
const FIELDS = {
  era: 'era', year: 'year', quarter: 'quarter', month: 'month', weekOfYear: 'week', weekday: 'weekday', day: 'day', dayPeriod: 'dayperiod',
  hour: 'hour', minute: 'minute', second: 'second', timeZoneName: 'zone',
};
const CALENDARS = { gregory: 'gregorian', ethioaa: 'ethiopic-amete-alem' };

const invalid = () => new RangeError('Invalid argument to Intl.DisplayNames.prototype.of');

/** The name in the requested width: `US-alt-short`. */
function named(table, code, { style }) {
  if (style !== 'long' && table[`${code}-alt-short`] !== undefined) return table[`${code}-alt-short`];
  return table[code];
}

function languageName(state, code) {
  if (!/^[a-z]{2,3}(-|$)|^[a-z]{5,8}(-|$)/i.test(code) || /-[a-z0-9]-/i.test(code)) throw invalid();
  const tag = canonicalLocale(code);
  const { languages, scripts, territories, variants, pattern } = section(state.dataLocale, 'names');
  const [language, ...rest] = tag.split('-');
  let name;
  let parts = rest;
  if (state.languageDisplay === 'dialect') {
    name = rest.length === 0 ? undefined : named(languages, tag, state);
    parts = name === undefined ? rest : [];
  }
  name ??= named(languages, language, state);
  if (name === undefined) return undefined;
  const details = parts.map((part) => {
    if (/^[A-Z][a-z]{3}$/.test(part)) return scripts[part] ?? part;
    if (/^([A-Z]{2}|\d{3})$/.test(part)) return named(territories, part, state) ?? part;
    return variants[part.toUpperCase()] ?? part.toUpperCase();
  });
  if (details.length === 0) return name;
  const escaped = details.map((detail) => detail.replaceAll('(', '[').replaceAll(')', ']'));
  const list = escaped.reduce((left, right) => fill(pattern.localeSeparator, left, right));
  return fill(pattern.localePattern, name.replaceAll('(', '[').replaceAll(')', ']'), list);
}

const LOOKUPS = {
  language: languageName,
  region(state, code) {
    if (!/^([a-z]{2}|\d{3})$/i.test(code)) throw invalid();
    return named(section(state.dataLocale, 'names').territories, code, state);
  },
  script(state, code) {
    if (!/^[a-z]{4}$/i.test(code)) throw invalid();
    return named(section(state.dataLocale, 'names').scripts, code, state);
  },
  currency(state, code) {
    if (!/^[a-z]{3}$/i.test(code)) throw invalid();
    return section(state.dataLocale, 'currencies')[code.toUpperCase()]?.d;
  },
  calendar(state, code) {
    if (!/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(code)) throw invalid();
    const { types } = section(state.dataLocale, 'names');
    const key = code.toLowerCase();
    return types?.calendar?.[CALENDARS[key] ?? key];
  },
  dateTimeField(state, code) {
    const key = FIELDS[code];
    if (key === undefined) throw invalid();
    const fields = section(state.dataLocale, 'fields');
    return (state.style === 'long' ? fields[key] : (fields[`${key}-${state.style}`] ?? fields[key]))?.displayName;
  },
};

/** The fallback for codes without a name. */
function canonicalCode(type, code) {
  if (type === 'language') return canonicalLocale(code);
  if (type === 'currency') return code.toUpperCase();
  return type === 'calendar' ? code.toLowerCase() : code;
}

class DisplayNames {
  constructor(locales, options) {
    const requested = canonicalizeLocaleList(locales);
    if (options === undefined) throw new TypeError('invalid_argument');
    const given = toOptionsObject(options);
    readMatcher(given, OWNER);
    const style = textOption(given, 'style', ['narrow', 'short', 'long'], 'long', OWNER);
    const type = textOption(given, 'type', TYPES, undefined, OWNER);
    if (type === undefined) throw new TypeError('Required option "type" must not be undefined');
    const fallback = textOption(given, 'fallback', ['code', 'none'], 'code', OWNER);
    const { locale, dataLocale } = resolveLocale(requested);
    const languageDisplay = textOption(given, 'languageDisplay', ['dialect', 'standard'], 'dialect', OWNER);
    states.set(this, { locale, dataLocale, style, type, fallback, languageDisplay });
  }

  of(code) {
    const state = stateOf(states, this, `${OWNER}.prototype.of`);
    const text = String(code);
    return LOOKUPS[state.type](state, text) ?? (state.fallback === 'code' ? canonicalCode(state.type, text) : undefined);
  }

  resolvedOptions() {
    const { locale, style, type, fallback, languageDisplay } = stateOf(states, this, `${OWNER}.prototype.resolvedOptions`);
    return { locale, style, type, fallback, ...(type === 'language' && { languageDisplay }) };
  }
}

export default finish(DisplayNames, OWNER, supportedLocalesOf(OWNER));
