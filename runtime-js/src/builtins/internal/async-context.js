// Propagates the stores of `AsyncLocalStorage` through `await` and `then`, timers, ticks and microtasks. Not loaded
// before `node:async_hooks` is imported.
//
// QuickJS has no hook for reactions. But it reads `constructor` of a promise right before it attaches a reaction, for
// `await` as for `then`. A reaction attached in that moment runs right before the intended one, and restores the
// context. Awaiting a value that is not a promise makes a new promise inside the engine, which reports it.
import { nativeQueueMicrotask } from 'lmthing:internal/bootstrap';
import { followPromises } from 'lmthing:internal/native/async-context';
import { bindCallbacksWith } from 'lmthing:internal/timers';

/** An immutable `Map` of all stores; undefined while there are none. */
let current;

export const getContext = () => current;
export const setContext = (context) => void (current = context);

export function runIn(context, callback, receiver, values) {
  const before = current;
  current = context;
  try {
    return Reflect.apply(callback, receiver, values);
  } finally {
    current = before;
  }
}

/** Binds `callback` to the current context. */
export function bound(callback) {
  const context = current;
  return function (...values) {
    return runIn(context, callback, this, values);
  };
}

const { then } = Promise.prototype;
/** The contexts in which pending promises were made. */
const contexts = new WeakMap();
let attaching = false;

function attach(promise) {
  const context = current;
  const restore = () => void (current = context);
  attaching = true;
  try {
    then.call(promise, restore, restore);
  } finally {
    attaching = false;
  }
}

Object.defineProperty(Promise.prototype, 'constructor', {
  get() {
    if (!attaching && this !== Promise.prototype) attach(this);
    return Promise;
  },
  set(value) {
    Object.defineProperty(this, 'constructor', { value, writable: true, configurable: true, enumerable: true });
  },
  configurable: true,
  enumerable: false,
});

followPromises((isNew, promise) => {
  if (attaching) return;
  if (isNew) {
    contexts.set(promise, current);
  } else if (contexts.has(promise)) {
    const context = contexts.get(promise);
    contexts.delete(promise);
    nativeQueueMicrotask(() => void (current = context));
  }
});

bindCallbacksWith(bound);
