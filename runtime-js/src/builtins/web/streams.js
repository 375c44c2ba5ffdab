// The WHATWG streams, from the polyfill based on the reference implementation.
export {
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  ReadableByteStreamController,
  ReadableStream,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
} from 'web-streams-polyfill';

import { ReadableByteStreamController, ReadableStream, TransformStream, WritableStream } from 'web-streams-polyfill';
import { inspectOwn } from '../shared/inspect-own.js';

/** Prints a stream as Node does, without the polyfill's internals. */
function printAs(Class, view) {
  Object.defineProperty(Class.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(depth, options, inspect) {
      const values = view(this);
      return inspectOwn({ constructor: Class, ...values }, Object.keys(values), depth, options, inspect);
    },
    writable: true,
    configurable: true,
  });
}
printAs(ReadableStream, (stream) => ({
  locked: stream.locked,
  state: stream._state,
  supportsBYOB: stream._readableStreamController instanceof ReadableByteStreamController,
}));
printAs(WritableStream, (stream) => ({ locked: stream.locked, state: stream._state }));
printAs(TransformStream, ({ readable, writable, _backpressure }) => ({ readable, writable, backpressure: _backpressure }));

/** An object whose promise settles when the stream is closed or has failed. It sees the end by the polyfill's `_state`. */
function closing(stream) {
  let settle;
  let current = stream._state;
  const promise = new Promise((resolve, reject) => {
    if (current === 'errored') reject(stream._storedError);
    settle = (state) => {
      if (state === 'closed') resolve();
      // The polyfill stores the error after the state.
      else if (state === 'errored') queueMicrotask(() => reject(stream._storedError));
    };
  });
  promise.catch(() => {});
  const set = (state) => settle(current = state);
  set(current);
  Object.defineProperty(stream, '_state', { get: () => current, set });
  return { promise };
}

/** The symbols by which `node:stream` knows states of web streams, as in Node. */
function showStates(Class, controllerOf, states) {
  const found = new WeakMap();
  const getters = {
    'nodejs.webstream.isClosedPromise'() {
      if (!found.has(this)) found.set(this, closing(this));
      return found.get(this);
    },
    'nodejs.webstream.controllerErrorFunction'() {
      return (error) => controllerOf(this).error(error);
    },
    'nodejs.stream.errored'() {
      return this._state === 'errored';
    },
    ...states,
  };
  for (const [name, get] of Object.entries(getters)) Object.defineProperty(Class.prototype, Symbol.for(name), { get, configurable: true });
}
showStates(ReadableStream, (stream) => stream._readableStreamController, {
  'nodejs.stream.disturbed'() {
    return this._disturbed;
  },
  'nodejs.stream.readable'() {
    return this._state === 'readable';
  },
});
showStates(WritableStream, (stream) => stream._writableStreamController);
