// `performance`: the engine's clock, marks, measures and observers.
import { enginePerformance } from 'lmthing:internal/bootstrap';
import { brand } from '../shared/brand.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const TOKEN = Symbol('entry');
const now = () => enginePerformance.now();
/** The engine's own origin has no calendar date. */
const timeOrigin = Date.now() - now();

export class PerformanceEntry {
  #values;

  constructor(token, name, entryType, startTime, duration, detail) {
    if (token !== TOKEN) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    this.#values = { name, entryType, startTime, duration, detail };
  }

  get name() {
    return this.#values.name;
  }
  get entryType() {
    return this.#values.entryType;
  }
  get startTime() {
    return this.#values.startTime;
  }
  get duration() {
    return this.#values.duration;
  }
  get detail() {
    return this.#values.detail;
  }

  toJSON() {
    const { name, entryType, startTime, duration, detail } = this.#values;
    return { name, entryType, startTime, duration, detail };
  }

  [inspectCustom](depth, options, inspect) {
    const inner = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    return depth < 0 ? `[${this.constructor.name}]` : `${this.constructor.name} ${inspect(this.toJSON(), inner)}`;
  }
}
brand(PerformanceEntry, 'PerformanceEntry');

const copied = (detail) => (detail === undefined || detail === null ? null : structuredClone(detail));

export class PerformanceMark extends PerformanceEntry {
  constructor(name, { startTime = now(), detail } = {}) {
    if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "name" argument must be specified');
    if (typeof startTime !== 'number') throw invalidArgumentType('startTime', 'of type number', startTime);
    if (startTime < 0) throw nodeError(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP', `${startTime} is not a valid timestamp`);
    super(TOKEN, `${name}`, 'mark', startTime, 0, copied(detail));
  }
}
brand(PerformanceMark, 'PerformanceMark');

export class PerformanceMeasure extends PerformanceEntry {}
brand(PerformanceMeasure, 'PerformanceMeasure');

/** Entries, until they are cleared. */
let timeline = [];
const observers = new Set();

const inOrder = (entries) => entries.toSorted((a, b) => a.startTime - b.startTime);

export class PerformanceObserverEntryList {
  #entries;

  constructor(token, entries) {
    if (token !== TOKEN) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    this.#entries = inOrder(entries);
  }

  getEntries() {
    return [...this.#entries];
  }
  getEntriesByType(type) {
    return this.#entries.filter(({ entryType }) => entryType === type);
  }
  getEntriesByName(name, type = undefined) {
    return this.#entries.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type));
  }
}
brand(PerformanceObserverEntryList, 'PerformanceObserverEntryList');

const TYPES = ['function', 'mark', 'measure'];

export class PerformanceObserver {
  #callback;
  #types = new Set();
  #buffer = [];
  #scheduled = false;

  constructor(callback) {
    if (typeof callback !== 'function') throw invalidArgumentType('callback', 'of type function', callback);
    this.#callback = callback;
  }

  static get supportedEntryTypes() {
    return [...TYPES];
  }

  /** For this module; removed from the class below. */
  static offer(observer, entry) {
    if (observer.#types.has(entry.entryType)) observer.#take(entry);
  }

  #take(entry) {
    this.#buffer.push(entry);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const entries = this.takeRecords();
      if (entries.length > 0) this.#callback(new PerformanceObserverEntryList(TOKEN, entries), this);
    });
  }

  observe(options) {
    if (typeof options !== 'object' || options === null) throw invalidArgumentType('options', 'of type object', options);
    const { entryTypes, type, buffered } = options;
    if (entryTypes === undefined && type === undefined) {
      throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "options.entryTypes" and "options.type" arguments must be specified');
    }
    if (entryTypes !== undefined) this.#types = new Set(entryTypes.filter((item) => TYPES.includes(item)));
    else if (TYPES.includes(type)) this.#types.add(type);
    observers.add(this);
    if (buffered) timeline.filter((entry) => entry.entryType === type).forEach((entry) => this.#take(entry));
  }

  disconnect() {
    observers.delete(this);
    this.#buffer = [];
    this.#types.clear();
  }

  takeRecords() {
    return this.#buffer.splice(0);
  }
}
const { offer } = PerformanceObserver;
delete PerformanceObserver.offer;
brand(PerformanceObserver, 'PerformanceObserver');
function tell(entry) {
  for (const observer of observers) offer(observer, entry);
}

/** A time given as a number or by the name of a mark. */
function timeOf(point) {
  if (typeof point === 'number') {
    if (point < 0) throw nodeError(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP', `${point} is not a valid timestamp`);
    return point;
  }
  const mark = timeline.findLast((entry) => entry.entryType === 'mark' && entry.name === `${point}`);
  if (mark) return mark.startTime;
  throw new DOMException(`The "${point}" performance mark has not been set`, 'SyntaxError');
}

function measured(name, startOrOptions, endMark) {
  const given = typeof startOrOptions === 'object' && startOrOptions !== null ? startOrOptions : { start: startOrOptions };
  const { start, duration, detail } = given;
  const end = endMark ?? given.end;
  if (start !== undefined && end !== undefined && duration !== undefined) {
    throw nodeError(TypeError, 'ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS', 'Must not have options.start, options.end, and options.duration specified');
  }
  let until = end === undefined ? undefined : timeOf(end);
  if (until === undefined) until = start !== undefined && duration !== undefined ? timeOf(start) + duration : now();
  let from = start === undefined ? undefined : timeOf(start);
  if (from === undefined) from = duration === undefined ? 0 : until - duration;
  return new PerformanceMeasure(TOKEN, `${name}`, 'measure', from, until - from, copied(detail));
}

export class Performance {
  constructor(token) {
    if (token !== TOKEN) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
  }

  now() {
    return enginePerformance.now();
  }
  get timeOrigin() {
    return timeOrigin;
  }

  mark(name, options) {
    const mark = new PerformanceMark(name, options ?? {});
    timeline.push(mark);
    tell(mark);
    return mark;
  }

  measure(name, startOrOptions = undefined, end = undefined) {
    if (typeof name !== 'string') throw invalidArgumentType('name', 'of type string', name);
    const measure = measured(name, startOrOptions, end);
    timeline.push(measure);
    tell(measure);
    return measure;
  }

  clearMarks(name = undefined) {
    timeline = timeline.filter((entry) => entry.entryType !== 'mark' || (name !== undefined && entry.name !== `${name}`));
  }
  clearMeasures(name = undefined) {
    timeline = timeline.filter((entry) => entry.entryType !== 'measure' || (name !== undefined && entry.name !== `${name}`));
  }
  clearResourceTimings() {}

  /** `undici` reports its requests here; such entries are not kept. */
  markResourceTiming() {}
  setResourceTimingBufferSize() {}

  getEntries() {
    return inOrder(timeline);
  }
  getEntriesByType(type) {
    return inOrder(timeline.filter(({ entryType }) => entryType === type));
  }
  getEntriesByName(name, type = undefined) {
    return inOrder(timeline.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type)));
  }

  timerify(callback, _options = undefined) {
    if (typeof callback !== 'function') throw invalidArgumentType('fn', 'of type function', callback);
    const finish = (start, values) => tell(new PerformanceEntry(TOKEN, callback.name, 'function', start, now() - start, values));
    function timerified(...values) {
      const start = now();
      const result = new.target ? Reflect.construct(callback, values, callback) : Reflect.apply(callback, this, values);
      if (typeof result?.finally === 'function') return result.finally(() => finish(start, values));
      finish(start, values);
      return result;
    }
    return Object.defineProperties(timerified, {
      length: { value: callback.length, configurable: true },
      name: { value: `timerified ${callback.name}`, configurable: true },
    });
  }

  /** Utilization of the event loop is not measured. */
  eventLoopUtilization() {
    return { idle: 0, active: 0, utilization: 0 };
  }

  get nodeTiming() {
    return { name: 'node', entryType: 'node', startTime: 0, duration: now(), nodeStart: 0, v8Start: 0, environment: 0, loopStart: 0, loopExit: -1, bootstrapComplete: 0, idleTime: 0 };
  }

  toJSON() {
    return { nodeTiming: this.nodeTiming, timeOrigin: this.timeOrigin, eventLoopUtilization: this.eventLoopUtilization() };
  }
}
brand(Performance, 'Performance');

export const performance = new Performance(TOKEN);
