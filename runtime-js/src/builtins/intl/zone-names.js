// Names of time zones at a time, after ICU's TimeZoneFormat: the zone's own name, that of its metazone, of its country
// or city, or its offset from GMT.
import { section, zoneData } from './data.js';
import { maximized } from './locales.js';
import { fill } from './date-patterns.js';
import { isDaylight, offsetAt } from './zones.js';

const HALF_YEAR = 184 * 24 * 3600 * 1000;
const idOf = (zone) => (zone === 'UTC' || zone === undefined ? 'Etc/UTC' : zone);

/** The metazone of a zone at a time. */
function metazoneAt(zone, time) {
  const seconds = time / 1000;
  // Before 1970 there are none.
  return zoneData().uses[idOf(zone)]?.find(([, from, to]) => seconds >= (from ?? 0) && (to === null || seconds < to))?.[0];
}

/** A name of `width` (long, short) and `kind` (standard, daylight, generic). */
function nameOf(names, zone, time, width, kind) {
  const own = names.zones[idOf(zone)]?.[width]?.[kind];
  if (own !== undefined) return own;
  return names.metazone?.[metazoneAt(zone, time)]?.[width]?.[kind];
}

/** `GMT+1`, `GMT+01:00`. */
export function gmtName(format, zone, time, isShort) {
  const names = section(format.dataLocale, 'zones');
  const offset = offsetAt(zone, time) / 1000;
  const [positive, negative] = names.hourFormat.split(';');
  const [hours, minutes, seconds] = [Math.floor(Math.abs(offset) / 3600), Math.floor((Math.abs(offset) % 3600) / 60), Math.floor(Math.abs(offset) % 60)];
  const pattern = offset >= 0 ? positive : negative;
  const separator = /H+([^Hm]*)m+/.exec(pattern)?.[1] ?? ':';
  const two = (value) => String(value).padStart(2, '0');
  let text = isShort ? String(hours) : two(hours);
  if (!isShort || minutes !== 0 || seconds !== 0) text += separator + two(minutes);
  if (seconds !== 0) text += separator + two(seconds);
  // Whole hours omit everything after the minutes.
  const shown = pattern.replace(text.includes(separator) ? /H.*m+/ : /H.*/, format.native(text));
  return fill(names.gmtFormat, shown);
}

/** The text for `z`, `v` and `O` in patterns, short or (four letters) long. */
export function zoneText(format, zone, time, letter, isLong) {
  if (letter === 'O') return gmtName(format, zone, time, !isLong);
  const names = section(format.dataLocale, 'zones');
  const width = isLong ? 'long' : 'short';
  if (zone === undefined) return gmtName(format, zone, time, !isLong);
  const name = letter === 'v'
    ? genericName(format, names, zone, time, width)
    : nameOf(names, zone, time, width, isDaylight(zone, time) ? 'daylight' : 'standard');
  return name ?? gmtName(format, zone, time, !isLong);
}

/** The name that `Date` appends: the zone's current name, whatever it was at the time. */
export function zoneNameOfDate(format, zone, time) {
  if (zone === undefined) return gmtName(format, zone, time, false);
  const names = section(format.dataLocale, 'zones');
  return nameOf(names, zone, Date.now(), 'long', isDaylight(zone, time) ? 'daylight' : 'standard') ?? gmtName(format, zone, time, false);
}

function genericName(format, names, zone, time, width) {
  return genericNonLocation(format, names, zone, time, width) ?? locationName(format, names, zone);
}

function genericNonLocation(format, names, zone, time, width) {
  const own = names.zones[idOf(zone)]?.[width]?.generic;
  if (own !== undefined) return own;
  const metazone = metazoneAt(zone, time);
  if (metazone === undefined) return undefined;
  const generic = names.metazone?.[metazone]?.[width]?.generic;
  if (!usesDaylightAround(zone, time)) {
    const standard = nameOf(names, zone, time, width, 'standard');
    if (standard !== undefined && standard.toLowerCase() !== generic?.toLowerCase()) return standard;
  }
  if (generic === undefined) return undefined;
  const golden = zoneData().golden[metazone] ?? {};
  const reference = golden[maximized(format.locale)[2]] ?? golden['001'];
  if (reference === undefined || reference === idOf(zone)) return generic;
  const isSame = offsetAt(reference, time) === offsetAt(zone, time) && isDaylight(reference, time) === isDaylight(zone, time);
  return isSame ? generic : fill(names.fallbackFormat, locationOf(format, names, zone, golden) ?? cityOf(names, zone), generic);
}

/** Whether daylight saving time begins or ends within half a year. */
function usesDaylightAround(zone, time) {
  if (isDaylight(zone, time)) return true;
  const steps = [-1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1];
  return steps.some((step) => isDaylight(zone, time + step * HALF_YEAR));
}

function cityOf(names, zone) {
  return names.cities[idOf(zone)] ?? idOf(zone).split('/').at(-1).replaceAll('_', ' ');
}

/** The country of a zone, or its city where the country has several zones. */
function locationOf(format, names, zone) {
  const { regions, primary } = zoneData();
  const region = regions[idOf(zone)];
  if (region === undefined) return undefined;
  const isOnly = Object.values(regions).filter((other) => other === region).length === 1;
  if (isOnly || primary[region] === idOf(zone)) {
    return section(format.dataLocale, 'names').territories[region] ?? region;
  }
  return cityOf(names, zone);
}

function locationName(format, names, zone) {
  const location = locationOf(format, names, zone);
  return location === undefined ? undefined : fill(names.regionFormat, location);
}
