// `node:events`: the npm package extracted from Node, and later additions.
import BaseEmitter from 'events';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { becomeEmitter } from 'lmthing:internal/process';
import { listenersOf } from 'lmthing:internal/web/events';
import { addAbortListener, isEmitter, isTarget, on, once } from '../events/waiting.js';
import { brand } from '../shared/brand.js';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';

/** The package's constructor takes no options: see `init`. */
function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}
EventEmitter.prototype = BaseEmitter.prototype;
EventEmitter.prototype.constructor = EventEmitter;
Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
  get: () => BaseEmitter.defaultMaxListeners,
  set(count) {
    checkCount(count, 'defaultMaxListeners');
    BaseEmitter.defaultMaxListeners = count;
  },
  enumerable: true,
});
const errorMonitor = Symbol('events.errorMonitor');
const captureRejectionSymbol = Symbol.for('nodejs.rejection');

const kCapture = Symbol('kCapture');
/** `EventEmitter.captureRejections`: the default for new emitters. */
let capturesAll = false;

/** As in Node: `captureRejections` emits failures of async listeners as `error`. */
const baseInit = BaseEmitter.init;
EventEmitter.init = function init(options) {
  baseInit.call(this);
  const captures = options?.captureRejections;
  if (captures !== undefined && typeof captures !== 'boolean') throw invalidArgumentType('options.captureRejections', 'of type boolean', captures);
  if (captures ?? capturesAll) Object.defineProperty(this, kCapture, { value: true, configurable: true, writable: true });
};

/** Calls listeners and routes rejections to `error` or to the emitter's own method. */
function emitCapturing(emitter, type, values) {
  const listeners = emitter.rawListeners(type);
  for (const listener of listeners) {
    const result = listener.apply(emitter, values);
    if (result !== undefined && result !== null) follow(emitter, result, type, values);
  }
  return true;
}

function follow(emitter, result, type, values) {
  try {
    const { then } = result;
    if (typeof then !== 'function') return;
    then.call(result, undefined, (error) => process.nextTick(() => rejected(emitter, error, type, values)));
  } catch (error) {
    emitter.emit('error', error);
  }
}

function rejected(emitter, error, type, values) {
  if (typeof emitter[captureRejectionSymbol] === 'function') return emitter[captureRejectionSymbol](error, type, ...values);
  // A failing `error` listener must not cause a loop.
  const before = emitter[kCapture];
  emitter[kCapture] = false;
  try {
    emitter.emit('error', error);
  } finally {
    emitter[kCapture] = before;
  }
}

const baseEmit = EventEmitter.prototype.emit;
EventEmitter.prototype.emit = function emit(type, ...values) {
  if (type === 'error' && this.listenerCount(errorMonitor) > 0) baseEmit.call(this, errorMonitor, ...values);
  if (type === 'error' && this.listenerCount('error') === 0 && !(values[0] instanceof Error)) {
    throw unhandled(values[0]);
  }
  if (this[kCapture] && this.listenerCount(type) > 0) return emitCapturing(this, type, values);
  return baseEmit.call(this, type, ...values);
};

const LIMITED = new Set(['addListener', 'on', 'prependListener']);
for (const name of ['addListener', 'off', 'on', 'once', 'prependListener', 'prependOnceListener', 'removeListener']) {
  const method = EventEmitter.prototype[name];
  EventEmitter.prototype[name] = {
    [name](type, listener) {
      if (typeof listener !== 'function') throw invalidArgumentType('listener', 'of type function', listener);
      if (!LIMITED.has(name)) return method.call(this, type, listener);
      method.call(this, type, listener);
      warnOfLeak(this, type);
      return this;
    },
  }[name];
}

function unhandled(value) {
  const error = nodeError(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${importBuiltin('lmthing:internal/inspect').inspect(value)})`);
  error.context = value;
  return error;
}

const baseListenerCount = EventEmitter.prototype.listenerCount;
EventEmitter.prototype.listenerCount = function listenerCount(type, listener = undefined) {
  if (listener === undefined) return baseListenerCount.call(this, type);
  return this.rawListeners(type).filter((item) => item === listener || item.listener === listener).length;
};

function checkCount(count, name) {
  if (typeof count !== 'number') throw invalidArgumentType(name, 'of type number', count);
  if (!(count >= 0)) throw outOfRange(name, '>= 0', count);
}

function getEventListeners(target, name) {
  if (!isEmitter(target) && !isTarget(target)) throw invalidArgumentType('emitter', 'an instance of EventEmitter or EventTarget', target);
  return isEmitter(target) ? target.listeners(name) : listenersOf(target, name);
}

/** Maximal numbers of listeners that were set for an `EventTarget`. */
const targetLimits = new WeakMap();
function getMaxListeners(target) {
  if (typeof target?.getMaxListeners === 'function') return target.getMaxListeners();
  if (!isTarget(target)) throw invalidArgumentType('emitter', 'an instance of EventEmitter or EventTarget', target);
  return targetLimits.get(target) ?? EventEmitter.defaultMaxListeners;
}
const listenerCount = (emitter, name) => (typeof emitter.listenerCount === 'function' ? emitter.listenerCount(name) : 0);
function setMaxListeners(count = EventEmitter.defaultMaxListeners, ...targets) {
  checkCount(count, 'setMaxListeners');
  if (targets.length === 0) EventEmitter.defaultMaxListeners = count;
  for (const target of targets) {
    if (target.setMaxListeners) target.setMaxListeners(count);
    else if (!isTarget(target)) throw invalidArgumentType('eventTargets', 'an instance of EventEmitter or EventTarget', target);
    else targetLimits.set(target, count);
  }
}

Object.assign(EventEmitter.prototype, {
  setMaxListeners(count) {
    checkCount(count, 'setMaxListeners');
    this._maxListeners = count;
    return this;
  },
});

const WARNED = Symbol('warned');

/** The package prints this to the console, which it cannot access here; Node emits a warning event. */
function warnOfLeak(emitter, type) {
  const limit = emitter.getMaxListeners();
  const list = emitter._events[type];
  if (limit <= 0 || typeof list !== 'object' || list.length <= limit || list[WARNED]) return;
  list[WARNED] = true;
  const name = String(emitter.constructor?.name ?? 'EventEmitter');
  const message =
    `Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to [${name}]. ` +
    `MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`;
  const warning = Object.assign(new Error(message), { emitter, type, count: list.length });
  warning.name = 'MaxListenersExceededWarning';
  process.emitWarning(warning);
}

brand(EventEmitter, 'EventEmitter', false);
Object.defineProperty(EventEmitter, 'captureRejections', {
  get: () => capturesAll,
  set(wanted) {
    if (typeof wanted !== 'boolean') throw invalidArgumentType('EventEmitter.captureRejections', 'of type boolean', wanted);
    capturesAll = wanted;
  },
  enumerable: true,
});
Object.assign(EventEmitter, { addAbortListener, captureRejectionSymbol, errorMonitor, EventEmitter, getEventListeners, getMaxListeners, listenerCount, on, once, setMaxListeners, usingDomains: false });

becomeEmitter(EventEmitter);

/** An emitter whose listeners run in its async context. `node:async_hooks` is loaded with the first one. */
class EventEmitterAsyncResource extends EventEmitter {
  #resource;

  constructor(options = undefined) {
    const { name: given, ...rest } = typeof options === 'string' ? { name: options } : (options ?? {});
    if (new.target === EventEmitterAsyncResource && typeof given !== 'string') throw invalidArgumentType('options.name', 'of type string', given);
    const name = given || new.target.name;
    super(rest);
    const { AsyncResource } = importBuiltin('node:async_hooks');
    class EventEmitterReferencingAsyncResource extends AsyncResource {
      eventEmitter;
    }
    this.#resource = new EventEmitterReferencingAsyncResource(name, rest);
    this.#resource.eventEmitter = this;
  }

  get asyncResource() {
    return this.#resource;
  }
  get asyncId() {
    return this.#resource.asyncId();
  }
  get triggerAsyncId() {
    return this.#resource.triggerAsyncId();
  }

  emit(...values) {
    return this.#resource.runInAsyncScope(super.emit, this, ...values);
  }

  emitDestroy() {
    this.#resource.emitDestroy();
  }
}
brand(EventEmitterAsyncResource, 'EventEmitterAsyncResource', false);
EventEmitter.EventEmitterAsyncResource = EventEmitterAsyncResource;

export const { defaultMaxListeners, init, captureRejections, usingDomains } = EventEmitter;
export { addAbortListener, captureRejectionSymbol, errorMonitor, EventEmitter, EventEmitterAsyncResource, getEventListeners, getMaxListeners, listenerCount, on, once, setMaxListeners };
export default EventEmitter;
