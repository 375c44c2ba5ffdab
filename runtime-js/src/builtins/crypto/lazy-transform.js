// Base class of hashes and ciphers that becomes a `Transform` on first use as a stream, which is rare.
import { importBuiltin } from 'lmthing:internal/native/modules';

export class LazyTransform {
  /** Stream options. */
  _options = undefined;
}

const STREAM_METHODS = 'addListener cork destroy emit end eventNames isPaused listenerCount listeners off on once pause pipe prependListener push rawListeners read removeAllListeners removeListener resume setDefaultEncoding setEncoding setMaxListeners uncork unpipe unshift wrap write'.split(' ');
const STREAM_PROPERTIES = 'closed destroyed errored readable readableEnded readableFlowing readableLength writable writableEnded writableFinished writableLength'.split(' ');
const STATES = ['_readableState', '_writableState'];
const own = LazyTransform.prototype;

/** Inserts `Transform` into the prototype chain; the first access to a stream's state then initializes it. */
function loadStreams() {
  const { Transform } = importBuiltin('node:stream');
  for (const name of [...STREAM_METHODS, ...STREAM_PROPERTIES, Symbol.asyncIterator]) delete own[name];
  Object.setPrototypeOf(own, Transform.prototype);
  for (const state of STATES) {
    Object.defineProperty(own, state, {
      configurable: true,
      get() {
        makeStream(this, Transform);
        return this[state];
      },
      set(value) {
        Object.defineProperty(this, state, { value, writable: true, configurable: true, enumerable: true });
      },
    });
  }
}

function makeStream(target, Transform) {
  if (target === own) return;
  for (const state of STATES) Object.defineProperty(target, state, { value: undefined, writable: true, configurable: true, enumerable: true });
  Transform.call(target, target._options);
  // `update` handles strings and their encoding.
  if (!target._options?.decodeStrings) target._writableState.decodeStrings = false;
}

for (const name of [...STREAM_METHODS, Symbol.asyncIterator]) {
  const load = function (...values) {
    loadStreams();
    void this._readableState;
    return this[name](...values);
  };
  Object.defineProperty(own, name, { value: load, writable: true, configurable: true });
}
for (const name of [...STREAM_PROPERTIES, ...STATES]) {
  const get = function () {
    loadStreams();
    return this[name];
  };
  Object.defineProperty(own, name, { get, configurable: true });
}
