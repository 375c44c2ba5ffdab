// Time zones: their names as ECMA-402 knows them, the zone of the machine, and time in them.
import { isDaylightTime, systemZone, wallToUtc, zoneName, zoneOffset } from 'lmthing:internal/native/intl';
import { env } from 'lmthing:internal/native/process';
import { zoneData } from './data.js';

const UTC_NAMES = new Set(['Etc/UTC', 'Etc/GMT', 'GMT', 'UTC', 'Etc/UCT', 'Etc/Zulu', 'Etc/Universal', 'Etc/Greenwich', 'Etc/GMT0', 'Etc/GMT+0', 'Etc/GMT-0', 'GMT0', 'Zulu', 'UCT', 'Universal', 'Greenwich']);

const canonicalNames = new Map();

/** The canonical name of a zone, or undefined when there is no such zone. */
export function canonicalZone(text) {
  if (!canonicalNames.has(text)) canonicalNames.set(text, findZone(text));
  return canonicalNames.get(text);
}

function findZone(text) {
  if (text.toUpperCase() === 'UTC') return 'UTC';
  // Names of one word that are not zones of their own elsewhere are refused there as well.
  const name = /^[A-Za-z][\w+\-/]*$/.test(text) ? zoneName(text) : undefined;
  if (name === undefined) return undefined;
  if (UTC_NAMES.has(name)) return 'UTC';
  const canonical = zoneData().canonical[name] ?? name;
  return UTC_NAMES.has(canonical) ? 'UTC' : canonical;
}

let known = { setting: null, zone: undefined };

/** The zone of `TZ`, or else of the machine, by its own name; undefined when `TZ` names none (time is UTC then). */
export function zoneOfSetting() {
  const setting = env.TZ;
  if (known.setting !== setting) {
    const name = setting === undefined ? (systemZone() ?? 'UTC') : String(setting).replace(/^:/, '') || 'UTC';
    known = { setting, zone: name === 'UTC' ? name : zoneName(name) };
  }
  return known.zone;
}

/** The same by its canonical name. */
export function currentZone() {
  const zone = zoneOfSetting();
  return zone === undefined ? undefined : canonicalZone(zone);
}

/** Milliseconds to add to UTC. Beyond the years that the rules reach, the last ones count. */
export function offsetAt(zone, time) {
  if (zone === 'UTC' || zone === undefined) return 0;
  return (zoneOffset(zone, clamped(time)) ?? 0) * 1000;
}

const clamped = (time) => Math.min(Math.max(time, -3e14), 2.5e14);

export const isDaylight = (zone, time) => zone !== undefined && zone !== 'UTC' && (isDaylightTime(zone, clamped(time)) ?? false);

/** The time that clocks show (as if it were UTC) as time since the epoch. */
export function utcOf(zone, wall) {
  if (zone === 'UTC' || zone === undefined) return wall;
  const inReach = clamped(wall);
  return (wallToUtc(zone, Math.floor(inReach)) ?? inReach) + (wall - Math.floor(inReach));
}
