import { zoneNames } from 'lmthing:internal/native/intl';
import { coreData } from './data.js';
import { calendarNames } from './date-writer.js';
import { simpleUnits } from './units.js';
import { canonicalZone } from './zones.js';

const KEYS = {
  calendar: () => calendarNames(),
  collation: () => ['compat', 'emoji', 'eor', 'phonebk', 'pinyin', 'stroke', 'trad', 'unihan', 'zhuyin'],
  currency: () => coreData().currencies,
  numberingSystem: () => Object.keys(coreData().digits),
  timeZone: () => zoneNames().filter((name) => /^[A-Z][a-z]+\/(?!GMT)/.test(name) && !name.startsWith('Etc/')).map(canonicalZone).filter((name) => name !== undefined && name !== 'UTC'),
  unit: simpleUnits,
};

/** Sorted. */
export function supportedValuesOf(key) {
  const name = String(key);
  if (!Object.hasOwn(KEYS, name)) throw new RangeError(`Invalid key : ${name}`);
  return [...new Set(KEYS[name]())].sort();
}
