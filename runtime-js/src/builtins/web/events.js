// `Event`, `EventTarget`, `CustomEvent`, `AbortController` and `AbortSignal` of the DOM standard, without a tree.
import { enginePerformance } from 'lmthing:internal/bootstrap';
import { inspectOwn } from '../shared/inspect-own.js';
import { checkInteger, invalidArgumentType, nodeError } from '../shared/errors.js';
import { brand } from '../shared/brand.js';

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

/** Event state that only `EventTarget` may change. */
const internals = new WeakMap();

export class Event {
  #type;
  #bubbles;
  #cancelable;
  #composed;
  #timeStamp = enginePerformance.now();

  constructor(type, options = undefined) {
    if (arguments.length === 0) {
      throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
    }
    if (options != null && typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
    this.#type = `${type}`;
    this.#bubbles = Boolean(options?.bubbles);
    this.#cancelable = Boolean(options?.cancelable);
    this.#composed = Boolean(options?.composed);
    internals.set(this, { target: null, dispatching: false, stopped: false, prevented: false, passive: false });
  }

  get type() {
    return this.#type;
  }
  get bubbles() {
    return this.#bubbles;
  }
  get cancelable() {
    return this.#cancelable;
  }
  get composed() {
    return this.#composed;
  }
  get timeStamp() {
    return this.#timeStamp;
  }
  get isTrusted() {
    return Boolean(internals.get(this).trusted);
  }
  get target() {
    return internals.get(this).target;
  }
  get srcElement() {
    return this.target;
  }
  get currentTarget() {
    return internals.get(this).dispatching ? this.target : null;
  }
  get eventPhase() {
    return internals.get(this).dispatching ? Event.AT_TARGET : Event.NONE;
  }
  get defaultPrevented() {
    return internals.get(this).prevented;
  }
  get returnValue() {
    return !this.defaultPrevented;
  }
  get cancelBubble() {
    return Boolean(internals.get(this).propagationStopped);
  }
  set cancelBubble(value) {
    if (value) this.stopPropagation();
  }

  composedPath() {
    return internals.get(this).dispatching ? [this.target] : [];
  }

  preventDefault() {
    const state = internals.get(this);
    if (this.#cancelable && !state.passive) state.prevented = true;
  }

  stopPropagation() {
    internals.get(this).propagationStopped = true;
  }

  stopImmediatePropagation() {
    this.stopPropagation();
    internals.get(this).stopped = true;
  }

  [inspectCustom](depth, options, inspect) {
    return inspectOwn(this, ['type', 'defaultPrevented', 'cancelable', 'timeStamp'], depth, options, inspect);
  }
}
for (const [phase, value] of Object.entries({ NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 })) {
  Object.defineProperty(Event, phase, { value, enumerable: true });
  Object.defineProperty(Event.prototype, phase, { value, enumerable: true });
}
brand(Event, 'Event');

export class CustomEvent extends Event {
  #detail;

  constructor(type, options = undefined) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }

  get detail() {
    return this.#detail;
  }
}
brand(CustomEvent, 'CustomEvent');

/** An exception in a listener is uncaught; the other listeners still run. */
function reportException(error) {
  queueMicrotask(() => {
    throw error;
  });
}

export class EventTarget {
  #listeners = new Map();

  addEventListener(type, listener, options = undefined) {
    if (arguments.length < 2) {
      throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "type" and "listener" arguments must be specified');
    }
    if (listener === null || listener === undefined) return;
    if (typeof listener !== 'function' && typeof listener !== 'object') {
      throw invalidArgumentType('listener', 'an instance of EventListener', listener);
    }
    const { capture = false, once = false, passive = false, signal } = typeof options === 'object' && options ? options : { capture: options };
    if (signal?.aborted) return;
    const key = `${type}`;
    const list = this.#listeners.get(key) ?? [];
    if (list.some((item) => item.listener === listener && item.capture === Boolean(capture))) return;
    list.push({ listener, capture: Boolean(capture), once: Boolean(once), passive: Boolean(passive), removed: false });
    this.#listeners.set(key, list);
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener, options), { once: true });
  }

  removeEventListener(type, listener, options = undefined) {
    const capture = Boolean(typeof options === 'object' && options ? options.capture : options);
    const list = this.#listeners.get(`${type}`) ?? [];
    const index = list.findIndex((item) => item.listener === listener && item.capture === capture);
    if (index < 0) return;
    list[index].removed = true;
    this.#listeners.set(`${type}`, list.toSpliced(index, 1));
  }

  dispatchEvent(event) {
    if (!(event instanceof Event)) throw invalidArgumentType('event', 'an instance of Event', event);
    const state = internals.get(event);
    if (state.dispatching) {
      throw nodeError(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
    }
    Object.assign(state, { target: this, dispatching: true, stopped: false });
    for (const item of [...(this.#listeners.get(event.type) ?? [])]) {
      if (item.removed) continue;
      if (item.once) this.removeEventListener(event.type, item.listener, item.capture);
      state.passive = item.passive;
      try {
        const { listener } = item;
        const result = typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent(event);
        if (typeof result?.then === 'function') result.then(undefined, reportException);
      } catch (error) {
        reportException(error);
      }
      if (state.stopped) break;
    }
    state.dispatching = state.passive = false;
    return !event.defaultPrevented;
  }

  /** For `events.getEventListeners`. */
  static listenersOf(target, type) {
    return (target.#listeners.get(`${type}`) ?? []).map(({ listener }) => listener);
  }

  [inspectCustom](depth, options, inspect) {
    return inspectOwn(this, [], depth, options, inspect);
  }
}
brand(EventTarget, 'EventTarget');

export const { listenersOf } = EventTarget;
delete EventTarget.listenersOf;

const NEW_SIGNAL = Symbol('new signal');

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  #onabort = null;
  #dependents = new Set();

  constructor(token) {
    if (token !== NEW_SIGNAL) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
  }

  get aborted() {
    return this.#aborted;
  }

  get reason() {
    return this.#reason;
  }

  get onabort() {
    return this.#onabort;
  }
  set onabort(listener) {
    if (this.#onabort) this.removeEventListener('abort', this.#onabort);
    this.#onabort = typeof listener === 'function' ? listener : null;
    if (this.#onabort) this.addEventListener('abort', this.#onabort);
  }

  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }

  /** For `AbortController` and the functions below; removed from the class. */
  static abortSignal(signal, reason) {
    if (signal.#aborted) return;
    // All dependent signals are aborted before any listener is called, as in the standard.
    const signals = [signal];
    for (const current of signals) {
      if (current.#aborted) continue;
      current.#aborted = true;
      current.#reason = reason;
      signals.push(...current.#dependents);
      current.#dependents.clear();
    }
    for (const current of new Set(signals)) {
      const event = new Event('abort');
      internals.get(event).trusted = true;
      current.dispatchEvent(event);
    }
  }

  static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    const signal = new AbortSignal(NEW_SIGNAL);
    signal.#aborted = true;
    signal.#reason = reason;
    return signal;
  }

  static timeout(delay) {
    checkInteger(delay, 'delay', 0, 2 ** 32 - 1);
    const signal = new AbortSignal(NEW_SIGNAL);
    const timer = setTimeout(() => {
      abortSignal(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, delay);
    // A timeout alone does not keep the program alive.
    timer.unref?.();
    return signal;
  }

  static any(signals) {
    if (!Array.isArray(signals)) throw invalidArgumentType('signals', 'an instance of Array', signals);
    const sources = [...signals];
    sources.forEach((source, index) => {
      if (!(source instanceof AbortSignal)) throw invalidArgumentType(`signals[${index}]`, 'an instance of AbortSignal', source);
    });
    const signal = new AbortSignal(NEW_SIGNAL);
    const aborted = sources.find((source) => source.aborted);
    if (aborted) {
      signal.#aborted = true;
      signal.#reason = aborted.reason;
    } else {
      for (const source of sources) source.#dependents.add(signal);
    }
    return signal;
  }

  [inspectCustom](depth, options, inspect) {
    return inspectOwn(this, ['aborted'], depth, options, inspect);
  }
}
brand(AbortSignal, 'AbortSignal');

const { abortSignal } = AbortSignal;
delete AbortSignal.abortSignal;

export class AbortController {
  #signal = new AbortSignal(NEW_SIGNAL);

  get signal() {
    return this.#signal;
  }

  abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    abortSignal(this.#signal, reason);
  }

  [inspectCustom](depth, options, inspect) {
    return inspectOwn(this, ['signal'], depth, options, inspect);
  }
}
brand(AbortController, 'AbortController');
