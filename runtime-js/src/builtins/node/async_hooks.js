import { bound, getContext, runIn, setContext } from 'lmthing:internal/async-context';
import { invalidArgumentType, nodeError } from '../shared/errors.js';

const checkFunction = (value, name) => {
  if (typeof value !== 'function') throw invalidArgumentType(name, 'of type function', value);
};

export class AsyncLocalStorage {
  #with(store) {
    return new Map(getContext()).set(this, store);
  }

  #without() {
    const context = new Map(getContext());
    context.delete(this);
    return context;
  }

  static bind(callback) {
    return AsyncResource.bind(callback);
  }

  static snapshot() {
    return bound((callback, ...values) => callback(...values));
  }

  getStore() {
    return getContext()?.get(this);
  }

  run(store, callback, ...values) {
    return runIn(this.#with(store), callback, undefined, values);
  }

  exit(callback, ...values) {
    return runIn(this.#without(), callback, undefined, values);
  }

  enterWith(store) {
    setContext(this.#with(store));
  }

  disable() {
    setContext(this.#without());
  }
}

/** Ids of `AsyncResource`s; operations of the engine have none. */
let lastId = 1;
const running = [];
const hooks = new Set();
const TOP = { id: 1, trigger: 0 };
const top = {};

const tell = (event, ...values) => {
  for (const hook of hooks) hook[event]?.(...values);
};

export const executionAsyncId = () => (running.at(-1) ?? TOP).id;
export const triggerAsyncId = () => (running.at(-1) ?? TOP).trigger;
export const executionAsyncResource = () => running.at(-1)?.resource ?? top;
export const asyncWrapProviders = Object.freeze(Object.assign(Object.create(null), { NONE: 0 }));

export class AsyncResource {
  #context = getContext();
  #id = ++lastId;
  #trigger;

  constructor(type, options = {}) {
    if (typeof type !== 'string') throw invalidArgumentType('type', 'of type string', type);
    const trigger = typeof options === 'number' ? options : (options.triggerAsyncId ?? executionAsyncId());
    if (!Number.isSafeInteger(trigger) || trigger < -1) {
      throw nodeError(RangeError, 'ERR_INVALID_ASYNC_ID', `Invalid triggerAsyncId value: ${trigger}`);
    }
    this.#trigger = trigger;
    tell('init', this.#id, type, trigger, this);
  }

  runInAsyncScope(callback, receiver, ...values) {
    running.push({ id: this.#id, trigger: this.#trigger, resource: this });
    tell('before', this.#id);
    try {
      return runIn(this.#context, callback, receiver, values);
    } finally {
      tell('after', this.#id);
      running.pop();
    }
  }

  emitDestroy() {
    tell('destroy', this.#id);
    return this;
  }

  asyncId() {
    return this.#id;
  }

  triggerAsyncId() {
    return this.#trigger;
  }

  bind(callback, receiver) {
    checkFunction(callback, 'fn');
    const resource = this;
    const bind = function (...values) {
      return resource.runInAsyncScope(callback, receiver === undefined ? this : receiver, ...values);
    };
    return Object.defineProperty(bind, 'length', { value: callback.length, configurable: true });
  }

  static bind(callback, type, receiver) {
    checkFunction(callback, 'fn');
    return new AsyncResource(type || callback.name || 'bound-anonymous-fn').bind(callback, receiver);
  }
}

/** Hooks are called for `AsyncResource`s only. */
export function createHook(callbacks) {
  for (const name of ['init', 'before', 'after', 'destroy', 'promiseResolve']) {
    if (callbacks[name] !== undefined && typeof callbacks[name] !== 'function') {
      throw nodeError(TypeError, 'ERR_ASYNC_CALLBACK', `hook.${name} must be a function`);
    }
  }
  const { init, before, after, destroy } = callbacks;
  const hook = { init, before, after, destroy };
  const face = {
    enable() {
      hooks.add(hook);
      return face;
    },
    disable() {
      hooks.delete(hook);
      return face;
    },
  };
  return face;
}

export default { AsyncLocalStorage, AsyncResource, asyncWrapProviders, createHook, executionAsyncId, executionAsyncResource, triggerAsyncId };
