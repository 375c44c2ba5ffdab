import { maximize, minimize } from 'lmthing:internal/native/intl';
import { section } from './data.js';
import { calendarsOf, hourCyclesOf, weekOf } from './locale-facts.js';
import { canonicalLocale, dataLocaleOf, localeTags, maximized, unicodeKeywords, withoutExtensions } from './locales.js';
import { finish, textOption, toOptions } from './options.js';
import { zoneData } from './data.js';

const INCORRECT = 'Incorrect locale information provided';
const OWNER = 'Locale';
const KEYWORDS = { calendar: 'ca', collation: 'co', hourCycle: 'hc', caseFirst: 'kf', numeric: 'kn', numberingSystem: 'nu' };
const KIND = /^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i;

const tagOf = (locale, method) => {
  const tag = localeTags.get(locale);
  if (tag === undefined) throw new TypeError(`Method Intl.Locale.prototype.${method} called on incompatible receiver ${String(locale)}`);
  return tag;
};

/** Replaces subtags and keywords. */
function changed(tag, options) {
  const base = withoutExtensions(tag);
  const [language, ...rest] = base.split('-');
  const isScript = (part) => /^[A-Z][a-z]{3}$/.test(part);
  const isRegion = (part) => /^([A-Z]{2}|\d{3})$/.test(part);
  const pick = (name, pattern, own) => {
    const text = textOption(options, name, undefined, undefined, OWNER);
    if (text !== undefined && !pattern.test(text)) throw new RangeError(INCORRECT);
    return text ?? own;
  };
  const parts = [
    pick('language', /^([a-z]{2,3}|[a-z]{5,8})$/i, language),
    pick('script', /^[a-z]{4}$/i, rest.find(isScript)),
    pick('region', /^([a-z]{2}|\d{3})$/i, rest.find(isRegion)),
    ...rest.filter((part) => !isScript(part) && !isRegion(part)),
  ];
  const keywords = unicodeKeywords(tag);
  const allowed = { hc: ['h11', 'h12', 'h23', 'h24'], kf: ['upper', 'lower', 'false'] };
  for (const [name, key] of Object.entries(KEYWORDS)) {
    let value = key === 'kn' ? options[name] : textOption(options, name, allowed[key], undefined, OWNER);
    if (value === undefined) continue;
    if (key === 'kn') value = String(Boolean(value));
    else if (!KIND.test(value)) throw new RangeError(INCORRECT);
    keywords[key] = value === 'true' ? '' : value;
  }
  const others = tag.slice(base.length).replace(/-u(-[a-z0-9]{2,8})+/i, '');
  const extension = Object.keys(keywords).sort().map((key) => `-${key}${keywords[key] && `-${keywords[key]}`}`).join('');
  return canonicalLocale(parts.filter(Boolean).join('-') + (extension && `-u${extension}`) + others);
}

class Locale {
  constructor(tag, options = undefined) {
    if (tag === undefined) throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
    if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null)) throw new TypeError('Incorrect locale information provided');
    const name = localeTags.get(tag) ?? canonicalLocale(String(tag));
    localeTags.set(this, changed(name, toOptions(options)));
  }

  toString() {
    return tagOf(this, 'toString');
  }

  maximize() {
    return new Locale(maximize(tagOf(this, 'maximize')));
  }

  minimize() {
    return new Locale(minimize(tagOf(this, 'minimize')));
  }

  get baseName() {
    return withoutExtensions(tagOf(this, 'baseName'));
  }

  get language() {
    return tagOf(this, 'language').split('-')[0];
  }

  get script() {
    return withoutExtensions(tagOf(this, 'script')).split('-').slice(1).find((part) => /^[A-Z][a-z]{3}$/.test(part));
  }

  get region() {
    return withoutExtensions(tagOf(this, 'region')).split('-').slice(1).find((part) => /^([A-Z]{2}|\d{3})$/.test(part));
  }

  get calendar() {
    return unicodeKeywords(tagOf(this, 'calendar')).ca;
  }

  get caseFirst() {
    return unicodeKeywords(tagOf(this, 'caseFirst')).kf;
  }

  get collation() {
    return unicodeKeywords(tagOf(this, 'collation')).co;
  }

  get hourCycle() {
    return unicodeKeywords(tagOf(this, 'hourCycle')).hc;
  }

  get numeric() {
    const { kn } = unicodeKeywords(tagOf(this, 'numeric'));
    return kn !== undefined && kn !== 'false';
  }

  get numberingSystem() {
    return unicodeKeywords(tagOf(this, 'numberingSystem')).nu;
  }

  get calendars() {
    return this.calendar === undefined ? calendarsOf(this.baseName) : [this.calendar];
  }

  get collations() {
    return this.collation === undefined ? ['emoji', 'eor'] : [this.collation];
  }

  get hourCycles() {
    return this.hourCycle === undefined ? hourCyclesOf(this.baseName) : [this.hourCycle];
  }

  get numberingSystems() {
    return this.numberingSystem === undefined ? [section(dataLocaleOf(this.baseName), 'numbers').ns] : [this.numberingSystem];
  }

  get textInfo() {
    const rightToLeft = ['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg'];
    return { direction: rightToLeft.includes(maximized(this.baseName)[1]) ? 'rtl' : 'ltr' };
  }

  get timeZones() {
    const { region } = this;
    if (region === undefined) return undefined;
    return Object.entries(zoneData().regions).filter(([, other]) => other === region).map(([zone]) => zone).sort();
  }

  get weekInfo() {
    return weekOf(this.baseName);
  }
}

export default finish(Locale, 'Intl.Locale');
