// What `AsyncLocalStorage` holds, carried along: through `await` and `then`, timers, ticks, microtasks. Nothing of this is there
// before `node:async_hooks` is imported.
//
// The engine has no means of its own for this. It reads `constructor` of a promise right before it attaches a reaction, for
// `await` as for `then`; a reaction of ours, attached in that moment, runs right before the one that is meant, and puts the
// context in place. What is awaited without being a promise becomes a new one inside the engine, which tells of it.
import { nativeQueueMicrotask } from 'lmthing:internal/bootstrap';
import { followPromises } from 'lmthing:internal/native/async-context';
import { bindCallbacksWith } from 'lmthing:internal/timers';

/** The stores of all storages, as a `Map` that is never changed; undefined while there are none. */
let current;

export const getContext = () => current;
export const setContext = (context) => void (current = context);

/** Runs `callback` in a context. */
export function runIn(context, callback, receiver, values) {
  const before = current;
  current = context;
  try {
    return Reflect.apply(callback, receiver, values);
  } finally {
    current = before;
  }
}

/** `callback`, to run in the context that is there now. */
export function bound(callback) {
  const context = current;
  return function (...values) {
    return runIn(context, callback, this, values);
  };
}

const { then } = Promise.prototype;
/** The contexts in which promises were made that are not fulfilled yet. */
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
