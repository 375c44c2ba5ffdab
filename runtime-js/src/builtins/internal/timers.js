// setTimeout, setInterval, setImmediate, queueMicrotask and process.nextTick. Rust has the deadlines by id
// (event_loop); callbacks stay in JavaScript, visible to the garbage collector.
import { nativeQueueMicrotask } from 'lmthing:internal/bootstrap';
import {
  cancel,
  reportUncaught,
  requestTick,
  schedule,
  scheduleImmediate,
  setDispatcher,
  setReferenced,
} from 'lmthing:internal/native/timers';

const MAX_DELAY = 2 ** 31 - 1;

/** Pending timers and immediates by id. */
const pending = new Map();
let lastId = 0;

let ticks = [];

/** Binds callbacks to their async context once `AsyncLocalStorage` is loaded. */
let bound = (callback) => callback;
export const bindCallbacksWith = (bind) => void (bound = bind);

function checkCallback(callback) {
  if (typeof callback === 'function') return;
  const received = callback === null || callback === undefined ? `${callback}` : describe(callback);
  const error = new TypeError(`The "callback" argument must be of type function. Received ${received}`);
  error.code = 'ERR_INVALID_ARG_TYPE';
  throw error;
}

function describe(value) {
  if (typeof value === 'object') return `an instance of ${value.constructor?.name || 'Object'}`;
  const text = typeof value === 'string' ? `'${value}'` : String(value);
  return `type ${typeof value} (${text})`;
}

export class Timeout {
  #id = ++lastId;
  #callback;
  #delay;
  #args;
  #repeats;
  #referenced = true;

  constructor(callback, delay, args, repeats) {
    this.#callback = bound(callback);
    this.#delay = normalizeDelay(delay);
    this.#args = args;
    this.#repeats = repeats;
    this.#start();
  }

  #start() {
    pending.set(this.#id, this);
    schedule(this.#id, this.#delay, this.#referenced);
  }

  // Private members of Node's timers that packages read.
  get _destroyed() {
    return !pending.has(this.#id);
  }
  get _idleTimeout() {
    return pending.has(this.#id) ? this.#delay : -1;
  }
  get _repeat() {
    return this.#repeats && pending.has(this.#id) ? this.#delay : null;
  }
  get _onTimeout() {
    return pending.has(this.#id) ? this.#callback : null;
  }

  /** Runs the callback; an interval is rescheduled unless the callback cleared it. */
  static run(timeout) {
    if (!timeout.#repeats) pending.delete(timeout.#id);
    try {
      timeout.#callback(...timeout.#args);
    } finally {
      if (timeout.#repeats && pending.has(timeout.#id)) timeout.#start();
    }
  }

  ref() {
    this.#referenced = true;
    setReferenced(this.#id, true);
    return this;
  }

  unref() {
    this.#referenced = false;
    setReferenced(this.#id, false);
    return this;
  }

  hasRef() {
    return this.#referenced;
  }

  refresh() {
    this.#start();
    return this;
  }

  close() {
    clear(this.#id);
    return this;
  }

  [Symbol.toPrimitive]() {
    return this.#id;
  }

  [Symbol.dispose]() {
    this.close();
  }
}

export class Immediate {
  #id = ++lastId;
  #callback;
  #args;
  #referenced = true;

  constructor(callback, args) {
    this.#callback = bound(callback);
    this.#args = args;
    pending.set(this.#id, this);
    scheduleImmediate(this.#id);
  }

  static run(immediate) {
    pending.delete(immediate.#id);
    immediate.#callback(...immediate.#args);
  }

  static id(immediate) {
    return immediate.#id;
  }

  ref() {
    this.#referenced = true;
    setReferenced(this.#id, true);
    return this;
  }

  unref() {
    this.#referenced = false;
    setReferenced(this.#id, false);
    return this;
  }

  hasRef() {
    return this.#referenced && pending.has(this.#id);
  }

  [Symbol.dispose]() {
    clear(this.#id);
  }
}

function normalizeDelay(delay) {
  const milliseconds = Math.trunc(Number(delay));
  return milliseconds >= 1 && milliseconds <= MAX_DELAY ? milliseconds : 1;
}

function clear(id) {
  if (pending.delete(id)) cancel(id);
}

setDispatcher((kind, id) => {
  if (kind === 'tick') return runTicks();
  const entry = pending.get(id);
  if (!entry) return;
  if (kind === 'timer') Timeout.run(entry);
  else Immediate.run(entry);
});

/** Runs queued ticks, including those they queue. After an exception the rest runs in a separate turn. */
function runTicks() {
  while (ticks.length > 0) {
    const due = ticks;
    ticks = [];
    let next = 0;
    try {
      while (next < due.length) {
        const { callback, args } = due[next++];
        callback(...args);
      }
    } finally {
      if (next < due.length) ticks = [...due.slice(next), ...ticks];
      if (ticks.length > 0) requestTick();
    }
  }
}

export function setTimeout(callback, delay, ...args) {
  checkCallback(callback);
  return new Timeout(callback, delay, args, false);
}

export function setInterval(callback, delay, ...args) {
  checkCallback(callback);
  return new Timeout(callback, delay, args, true);
}

export function setImmediate(callback, ...args) {
  checkCallback(callback);
  return new Immediate(callback, args);
}

/** Accepts a timer object or its id, also as a string. */
export function clearTimeout(timeout) {
  if (timeout instanceof Timeout) timeout.close();
  else if (typeof timeout === 'number' || typeof timeout === 'string') clear(Number(timeout));
}

export function clearInterval(timeout) {
  clearTimeout(timeout);
}

export function clearImmediate(immediate) {
  if (immediate instanceof Immediate) clear(Immediate.id(immediate));
}

export function queueMicrotask(callback) {
  checkCallback(callback);
  const run = bound(callback);
  nativeQueueMicrotask(() => {
    try {
      run();
    } catch (error) {
      reportUncaught(error);
    }
  });
}

export function nextTick(callback, ...args) {
  checkCallback(callback);
  ticks.push({ callback: bound(callback), args });
  requestTick();
}
