// Runs once, before any user code: makes `stack` look like Node's and defines lazy globals. On the start-up path, so
// everything that can wait is in other builtins.

import { defineLazyGlobals } from './lazy-globals.js';
import { defineLocaleMethods, showDatesBy } from './locale-methods.js';

export { showDatesBy };

export const engineDOMException = globalThis.DOMException;

export const NativeDate = globalThis.Date;

export const NativeWeakRef = globalThis.WeakRef;

/** `Name: message`, the line above the frames. */
function header(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

/** Maps positions in compiled TypeScript to its source. */
let readable = (frames) => frames;
export function showFramesThrough(translate) {
  readable = translate;
}

// QuickJS has only the frames ("    at f (file:1:2)\n…"); Node's stacks begin with a header line.
const { get: getFrames, set: setStack } = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
function withHeader(error, stack) {
  if (typeof stack !== 'string') return stack;
  const frames = readable(stack).trimEnd().replaceAll(/at <anonymous> \((.+)\)$/gm, 'at $1');
  return frames === '' ? header(error) : `${header(error)}\n${frames}`;
}
Object.defineProperty(Error.prototype, 'stack', {
  get() {
    return withHeader(this, getFrames.call(this));
  },
  set(value) {
    if (typeof value === 'string') setStack.call(this, value);
    else Object.defineProperty(this, 'stack', { value, writable: true, configurable: true, enumerable: false });
  },
  configurable: true,
  enumerable: false,
});

const capture = Error.captureStackTrace;
function captureStackTrace(target, above = captureStackTrace) {
  capture(target, above);
  const frames = target.stack;
  const member = (value) => ({ value, writable: true, configurable: true, enumerable: false });
  if (typeof frames !== 'string') return void Object.defineProperty(target, 'stack', member(frames));
  let stack;
  // The header is made on first access, as in Node: constructors set the error's name after capturing.
  Object.defineProperty(target, 'stack', {
    get() {
      stack ??= withHeader(target, frames);
      // Fails silently for an error that was frozen in the meantime.
      Reflect.defineProperty(target, 'stack', member(stack));
      return stack;
    },
    set(value) {
      Object.defineProperty(this, 'stack', member(value));
    },
    configurable: true,
    enumerable: false,
  });
}
Object.defineProperty(Error, 'captureStackTrace', { value: captureStackTrace, writable: true, configurable: true });

// QuickJS passes call sites with positions only; packages expect more methods on them.
const { prepareStackTrace } = Error;
Error.prepareStackTrace = (_error, frames) => frames;
const [frame] = getFrames.call(new Error());
Error.prepareStackTrace = prepareStackTrace;
const ANSWERS = { isEval: false, isToplevel: true, isConstructor: false, isAsync: false, isPromiseAll: false, getThis: undefined, getTypeName: null, getMethodName: null, getEvalOrigin: undefined, getFunction: undefined, getPromiseIndex: null, getScriptNameOrSourceURL: undefined };
if (frame) {
  const prototype = Object.getPrototypeOf(frame);
  for (const [name, answer] of Object.entries(ANSWERS)) if (!(name in prototype)) prototype[name] = () => answer;
  prototype.toString = function () {
    const place = `${this.getFileName()}:${this.getLineNumber()}:${this.getColumnNumber()}`;
    const name = this.getFunctionName();
    return name ? `${name} (${place})` : place;
  };
}

Object.defineProperty(globalThis, 'global', { value: globalThis, writable: true, configurable: true });

/** Defines globals whose code is loaded on first use. */
export function setUpLater(importBuiltin, isUtc) {
  importBuiltinLater = importBuiltin;
  defineLocaleMethods(importBuiltin);
  defineLazyGlobals(importBuiltin, isUtc);
}

// QuickJS refuses to block. With a single thread no other can notify, so waiting is sleeping.
const { wait } = Atomics;
let importBuiltinLater;
Atomics.wait = {
  wait(array, index, value, timeout) {
    const isShared = (array instanceof Int32Array || array instanceof BigInt64Array) && array.buffer instanceof SharedArrayBuffer;
    if (!isShared) return wait(array, index, value, timeout);
    const expected = array instanceof Int32Array ? value | 0 : BigInt.asIntN(64, BigInt(value));
    if (Atomics.load(array, index) !== expected) return 'not-equal';
    const limit = Number.isNaN(Number(timeout)) ? Infinity : Math.max(Number(timeout), 0);
    if (limit === Infinity) throw new Error('Atomics.wait would wait for ever: there is no other thread to call Atomics.notify');
    importBuiltinLater('lmthing:internal/native/os').sleep(limit);
    return 'timed-out';
  },
}.wait;

// QuickJS rejects with an error without a message.
const { any } = Promise;
Promise.any = {
  any(values) {
    const Outer = this;
    function Telling(executor) {
      return new Outer((resolve, reject) =>
        executor(resolve, (error) => {
          const message = { value: 'All promises were rejected', writable: true, configurable: true };
          if (error instanceof AggregateError && !Object.hasOwn(error, 'message')) Object.defineProperty(error, 'message', message);
          reject(error);
        }),
      );
    }
    Telling.resolve = (value) => Outer.resolve(value);
    return any.call(Telling, values);
  },
}.any;

/** Loses exceptions of callbacks; wrapped by `timers.js`. */
export const nativeQueueMicrotask = globalThis.queueMicrotask;

export const enginePerformance = globalThis.performance;
