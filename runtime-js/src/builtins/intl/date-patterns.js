// Selects a locale's pattern for a set of fields: the nearest one with adjusted widths, or a combination of several.
// After ICU's DateTimePatternGenerator.
import { coreData, section } from './data.js';
import { maximized } from './locales.js';
import {
  DAY_PERIOD, FIELD_COUNT, FRACTION, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, YEAR, baseText, describeField, fieldOf, originalText,
  skeletonOf, tokenize, untokenize,
} from './date-skeleton.js';

const DATE_FIELDS = (1 << DAY_PERIOD) - 1;
const ALL_FIELDS = (1 << FIELD_COUNT) - 1;
const SECONDS_AND_FRACTION = (1 << SECOND) | (1 << FRACTION);
const EXTRA = 0x10000;
const MISSING = 0x1000;

const CANONICAL = ['G', 'y', 'Q', 'M', 'w', 'W', 'E', 'd', 'D', 'F', 'a', 'H', 'm', 's', 'S', 'v'];
const APPEND_KEYS = ['Era', 'Year', 'Quarter', 'Month', 'Week', '*', 'Day-Of-Week', '*', '*', 'Day', '*', 'Hour', 'Minute', 'Second', '*', 'Timezone'];
const NAME_KEYS = ['era', 'year', 'quarter', 'month', 'week', 'weekOfMonth', 'weekday', 'dayOfYear', 'weekdayOfMonth', 'day', 'dayperiod', 'hour', 'minute', 'second', '*', 'zone'];

/** The hour letter of a locale's region: `h`, `H`, `K` or `k`. */
export function preferredHour(locale) {
  const [language, , region] = maximized(locale);
  const { hours } = coreData();
  return (hours[`${language}-${region}`] ?? hours[region] ?? 'H')[0];
}

const generators = new Map();

/** Cached. */
export function patternsOf(dataLocale, locale, calendar, data) {
  const key = `${locale} ${calendar}`;
  if (!generators.has(key)) generators.set(key, new Patterns(dataLocale, locale, data));
  return generators.get(key);
}

class Patterns {
  #entries = [];
  #best = new Map();

  constructor(dataLocale, locale, data) {
    this.data = data;
    this.names = section(dataLocale, 'fields');
    this.hour = preferredHour(locale);
    const numbers = section(dataLocale, 'numbers');
    this.decimal = numbers[numbers.ns].symbols.decimal;
    for (const field of CANONICAL) this.#add(field, undefined, false);
    for (const style of ['full', 'long', 'medium', 'short']) {
      this.#add(this.data.date[style], undefined, false);
      this.#add(this.data.time[style], undefined, false);
    }
    for (const [skeleton, pattern] of Object.entries(this.data.available)) this.#add(pattern, skeleton, true);
    // Of equally near patterns, ICU takes those whose first field comes last in the alphabet.
    this.#entries.sort((a, b) => (a.base[0] < b.base[0] ? 1 : a.base[0] > b.base[0] ? -1 : 0));
  }

  #add(pattern, givenSkeleton, override) {
    const skeleton = skeletonOf(givenSkeleton ?? pattern);
    const base = baseText(skeleton);
    const isSpecified = givenSkeleton !== undefined;
    const sameBase = this.#entries.find((entry) => entry.base === base);
    if (sameBase !== undefined && (!sameBase.isSpecified || (isSpecified && !override)) && !override) return;
    const original = originalText(skeleton);
    const same = this.#entries.find((entry) => entry.original === original);
    if (same !== undefined && (!override || (isSpecified && same.isSpecified))) return;
    const known = this.#entries.find((entry) => entry.base === base && entry.skeleton.type.every((type, field) => type === skeleton.type[field]));
    const entry = { base, original, skeleton, pattern, isSpecified };
    if (known === undefined) this.#entries.push(entry);
    else Object.assign(known, entry);
  }

  /** The pattern for a skeleton such as `yMMMd`; `keepHour` keeps the requested width of hours. */
  best(text, keepHour = false) {
    const key = `${text} ${keepHour}`;
    if (!this.#best.has(key)) this.#best.set(key, this.#find(text, keepHour));
    return this.#best.get(key);
  }

  #find(text, keepHour) {
    const wanted = skeletonOf(text.replace(/j+/g, (letters) => this.hour.repeat(letters.length)));
    const found = this.#nearest(wanted, ALL_FIELDS);
    if (found.missing === 0 && found.extra === 0) return this.#adjust(found, wanted, keepHour);
    const needed = wanted.type.reduce((mask, type, field) => (type ? mask | (1 << field) : mask), 0);
    const date = this.#assemble(wanted, needed & DATE_FIELDS, keepHour);
    const time = this.#assemble(wanted, needed & ~DATE_FIELDS, keepHour);
    if (date === '' || time === '') return date + time;
    const style = [, , , 'medium', wanted.type[WEEKDAY] ? 'full' : 'long'][wanted.base[MONTH]?.length] ?? 'short';
    return fill(this.data.glueAt[style], time, date);
  }

  /** The pattern with the least distance to the requested fields of the mask. */
  #nearest(wanted, mask) {
    let best;
    for (const entry of this.#entries) {
      let distance = 0;
      let missing = 0;
      let extra = 0;
      for (let field = 0; field < FIELD_COUNT; field++) {
        const mine = mask & (1 << field) ? wanted.type[field] : 0;
        const other = entry.skeleton.type[field];
        if (mine === other) continue;
        if (mine === 0) {
          distance += EXTRA;
          extra |= 1 << field;
        } else if (other === 0) {
          distance += MISSING;
          missing |= 1 << field;
        } else {
          distance += Math.abs(mine - other);
        }
      }
      if (best === undefined || distance < best.distance) best = { distance, missing, extra, pattern: entry.pattern, specified: entry.isSpecified ? entry.skeleton : undefined };
      if (distance === 0) break;
    }
    return best;
  }

  /** Combines patterns where no single one has all fields. */
  #assemble(wanted, mask, keepHour) {
    if (mask === 0) return '';
    let found = this.#nearest(wanted, mask);
    let result = this.#adjust(found, wanted, keepHour);
    let { missing } = found;
    let last = 0;
    while (missing !== 0 && missing !== last) {
      if ((missing & SECONDS_AND_FRACTION) === 1 << FRACTION && (mask & SECONDS_AND_FRACTION) === SECONDS_AND_FRACTION) {
        result = this.#adjust({ pattern: result, specified: found.specified }, wanted, keepHour, true);
        missing &= ~(1 << FRACTION);
        continue;
      }
      const before = missing;
      found = this.#nearest(wanted, missing);
      const more = this.#adjust(found, wanted, keepHour);
      const added = before & ~found.missing;
      if (added !== 0) {
        const top = 31 - Math.clz32(added);
        const pattern = this.data.append?.[APPEND_KEYS[top]] ?? '{0} ├{2}: {1}┤';
        result = fill(pattern, result, more, `'${(this.names[NAME_KEYS[top]]?.displayName ?? '').replaceAll("'", "''")}'`);
      }
      last = before;
      missing = found.missing;
    }
    return result;
  }

  /** Adjusts field widths to the request. */
  #adjust({ pattern, specified }, wanted, keepHour, withFraction = false) {
    return untokenize(tokenize(pattern).map((token) => {
      const { text, letter } = token;
      const field = text === undefined ? undefined : fieldOf(letter);
      if (field === undefined) return token;
      if (withFraction && field === SECOND) return { text: `${text}${this.decimal}${wanted.original[FRACTION]}` };
      if (!wanted.type[field]) return token;
      return { text: this.#adjusted(text, field, wanted, specified, keepHour) };
    }));
  }

  #adjusted(text, field, wanted, specified, keepHour) {
    const asked = wanted.original[field];
    const letter = asked[0];
    const askedLength = letter === 'E' && asked.length < 3 ? 3 : asked.length;
    let length = askedLength;
    if ((field === HOUR && !keepHour) || field === MINUTE || field === SECOND) {
      length = text.length;
    } else if (specified !== undefined && letter !== 'c' && letter !== 'e') {
      const { isNumeric } = describeField(text);
      const isAskedNumeric = wanted.type[field] > 0;
      if ((specified.original[field]?.length ?? 0) === askedLength || isNumeric !== isAskedNumeric) length = text.length;
    }
    let shown = field !== HOUR && field !== MONTH && field !== WEEKDAY && (field !== YEAR || letter === 'Y') ? letter : text[0];
    if (shown === 'E' && length < 3) shown = 'e';
    if (field === HOUR) shown = this.#hourLetter(letter, shown);
    return shown.repeat(length);
  }

  #hourLetter(letter, found) {
    if (letter === this.hour) return this.hour;
    return { hK: 'K', Hk: 'k', kH: 'H', Kh: 'h' }[letter + this.hour] ?? found;
  }
}

/** Fills placeholders: `{1} 'at' {0}`. */
export function fill(pattern, ...values) {
  return pattern.replace(/\{(\d)\}/g, (_, index) => values[index]);
}
