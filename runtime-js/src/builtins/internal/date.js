// `Date` in a time zone other than UTC. QuickJS uses the C library, which reads `TZ` once, needs the machine's zone
// files, and takes the later of two times where clocks are set back.
import { NativeDate, showDatesBy } from 'lmthing:internal/bootstrap';
import { offsetAt, utcOf, zoneOfSetting } from '../intl/zones.js';

const native = { ...Object.fromEntries(Object.getOwnPropertyNames(NativeDate.prototype).map((name) => [name, NativeDate.prototype[name]])) };
const timeOf = (date) => native.getTime.call(date);

/** Local time, as a date in UTC. */
const wallOf = (time) => new NativeDate(time + offsetAt(zoneOfSetting(), time));
const fromWall = (wall) => (Number.isNaN(wall) ? NaN : utcOf(zoneOfSetting(), wall));

const HAS_ZONE = /(?:Z|[+-]\d{2}:?\d{2}|\b(?:GMT|UTC?)(?:[+-]\d{1,4})?|\b[ECMP][SD]T)\s*(?:\(.*\))?\s*$/i;
const IS_DATE_ONLY = /^\s*[+-]?\d{4,6}(?:-\d{2}(?:-\d{2})?)?\s*$/;

function parse(text) {
  if (IS_DATE_ONLY.test(text) || HAS_ZONE.test(text)) return NativeDate.parse(text);
  // Without a zone it is local time: parsed as UTC, then shifted.
  const isIso = /^\s*[+-]?\d{4,6}-\d{2}-\d{2}T/.test(text);
  const wall = NativeDate.parse(isIso ? `${text}Z` : `${text.replace(/\s*\([^)]*\)\s*$/, '')} UTC`);
  return Number.isNaN(wall) ? wall : fromWall(wall);
}

function valueOf(args) {
  if (args.length === 0) return NativeDate.now();
  if (args.length > 1) return fromWall(NativeDate.UTC(...args));
  const [value] = args;
  if (value instanceof NativeDate) return timeOf(value);
  const primitive = typeof value === 'object' && value !== null ? toPrimitive(value) : value;
  return typeof primitive === 'string' ? parse(primitive) : Number(primitive);
}

function toPrimitive(value) {
  const convert = value[Symbol.toPrimitive];
  if (convert !== undefined && convert !== null) return convert.call(value, 'default');
  const plain = value.valueOf();
  return typeof plain === 'object' && plain !== null ? value.toString() : plain;
}

function Date(...args) {
  if (new.target === undefined) return new Date().toString();
  return Reflect.construct(NativeDate, [valueOf(args)], new.target);
}
Object.defineProperty(Date, 'length', { value: 7, configurable: true });
Object.defineProperty(Date, 'prototype', { value: NativeDate.prototype, writable: false });
for (const [name, value] of Object.entries({ now: NativeDate.now, UTC: NativeDate.UTC, parse: (text) => parse(String(text)) })) {
  Object.defineProperty(Date, name, { value, writable: true, configurable: true, enumerable: false });
}
Object.defineProperty(Date.parse, 'name', { value: 'parse', configurable: true });

const PARTS = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'];
const methods = {};
for (const part of [...PARTS, 'Day']) {
  const read = native[`getUTC${part}`];
  methods[`get${part}`] = function () {
    return read.call(wallOf(timeOf(this)));
  };
}
for (const part of PARTS) {
  const write = native[`setUTC${part}`];
  methods[`set${part}`] = function (...args) {
    const time = timeOf(this);
    const wall = Number.isNaN(time) && part === 'FullYear' ? new NativeDate(0) : wallOf(time);
    write.apply(wall, args);
    return native.setTime.call(this, fromWall(timeOf(wall)));
  };
}
methods.getYear = function () {
  return methods.getFullYear.call(this) - 1900;
};
methods.getTimezoneOffset = function () {
  const time = timeOf(this);
  return Number.isNaN(time) ? NaN : 0 - offsetAt(zoneOfSetting(), time) / 60000;
};
methods.toDateString = function () {
  return native.toDateString.call(this) === 'Invalid Date' ? 'Invalid Date' : dateText(this);
};

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number) => String(number).padStart(2, '0');

function dateText(date) {
  const wall = wallOf(timeOf(date));
  const year = native.getUTCFullYear.call(wall);
  const shownYear = `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(year < 0 ? 6 : 4, '0')}`;
  return `${DAYS[native.getUTCDay.call(wall)]} ${MONTHS[native.getUTCMonth.call(wall)]} ${two(native.getUTCDate.call(wall))} ${shownYear}`;
}

/** `13:00:00 GMT+0100`; `toString` appends the zone's name. */
function clockText(date) {
  const time = timeOf(date);
  const wall = wallOf(time);
  const minutes = Math.trunc(offsetAt(zoneOfSetting(), time) / 60000);
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`;
  return `${two(native.getUTCHours.call(wall))}:${two(native.getUTCMinutes.call(wall))}:${two(native.getUTCSeconds.call(wall))} GMT${offset}`;
}

const plainText = (date) => `${dateText(date)} ${clockText(date)}`;

for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(value, 'name', { value: name, configurable: true });
  Object.defineProperty(NativeDate.prototype, name, { value, writable: true, configurable: true, enumerable: false });
}
Object.defineProperty(NativeDate.prototype, 'constructor', { value: Date, writable: true, configurable: true, enumerable: false });

showDatesBy({ clockText, plainText });

/** Replaces the global, when `TZ` changes. */
export function install() {
  Object.defineProperty(globalThis, 'Date', { value: Date, writable: true, configurable: true, enumerable: false });
}

export { Date };
