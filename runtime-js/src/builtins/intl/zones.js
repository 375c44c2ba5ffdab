// Time zones: canonical names, the local zone, and conversions.
import { isDaylightTime, systemZone, wallToUtc, zoneName, zoneOffset } from 'lmthing:internal/native/intl';
import { env } from 'lmthing:internal/native/process';
import { zoneData } from './data.js';

const UTC_NAMES = new Set(['Etc/UTC', 'Etc/GMT', 'GMT', 'UTC', 'Etc/UCT', 'Etc/Zulu', 'Etc/Universal', 'Etc/Greenwich', 'Etc/GMT0', 'Etc/GMT+0', 'Etc/GMT-0', 'GMT0', 'Zulu', 'UCT', 'Universal', 'Greenwich']);

const canonicalNames = new Map();

/** Undefined for an unknown zone. */
export function canonicalZone(text) {
  if (!canonicalNames.has(text)) canonicalNames.set(text, findZone(text));
  return canonicalNames.get(text);
}

function findZone(text) {
  if (text.toUpperCase() === 'UTC') return 'UTC';
  // Single-word names that other systems do not accept are refused.
  const name = /^[A-Za-z][\w+\-/]*$/.test(text) ? zoneName(text) : undefined;
  if (name === undefined) return undefined;
  if (UTC_NAMES.has(name)) return 'UTC';
  const canonical = zoneData().canonical[name] ?? name;
  return UTC_NAMES.has(canonical) ? 'UTC' : canonical;
}

let known = { setting: null, zone: undefined };

/** The zone of `TZ`, or else of the machine, under its own name; undefined when `TZ` is invalid (UTC then). */
export function zoneOfSetting() {
  const setting = env.TZ;
  if (known.setting !== setting) {
    const name = setting === undefined ? (systemZone() ?? 'UTC') : String(setting).replace(/^:/, '') || 'UTC';
    known = { setting, zone: name === 'UTC' ? name : zoneName(name) };
  }
  return known.zone;
}

/** The canonical name of the local zone. */
export function currentZone() {
  const zone = zoneOfSetting();
  return zone === undefined ? undefined : canonicalZone(zone);
}

/** Milliseconds to add to UTC. Outside of the supported years, the nearest rules apply. */
export function offsetAt(zone, time) {
  if (zone === 'UTC' || zone === undefined) return 0;
  return (zoneOffset(zone, clamped(time)) ?? 0) * 1000;
}

const clamped = (time) => Math.min(Math.max(time, -3e14), 2.5e14);

export const isDaylight = (zone, time) => zone !== undefined && zone !== 'UTC' && (isDaylightTime(zone, clamped(time)) ?? false);

/** Converts local time (as if it were UTC) to time since the epoch. */
export function utcOf(zone, wall) {
  if (zone === 'UTC' || zone === undefined) return wall;
  const inReach = clamped(wall);
  return (wallToUtc(zone, Math.floor(inReach)) ?? inReach) + (wall - Math.floor(inReach));
}
