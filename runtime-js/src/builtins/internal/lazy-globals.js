// The table of globals that are loaded on first read. On the start-up path: an additional object, iterator or closure
// for each name took a quarter of an engine's start.

const BLOB = 'lmthing:internal/web/blob';
const COMPRESSION = 'lmthing:internal/web/compression-streams';
const CRYPTO = 'lmthing:internal/web/crypto';
const ENCODING = 'lmthing:internal/web/encoding';
const ENCODING_STREAMS = 'lmthing:internal/web/encoding-streams';
const EVENTS = 'lmthing:internal/web/events';
const FETCH = 'lmthing:internal/web/fetch';
const MESSAGES = 'lmthing:internal/web/message-channel';
const PERFORMANCE = 'lmthing:internal/web/performance';
const STREAMS = 'lmthing:internal/web/streams';
const TIMERS = 'lmthing:internal/timers';
const URL = 'lmthing:internal/web/url';

/** Name of the global, its module, and the export. */
const TABLE = [
  'console', 'lmthing:internal/console', 'default',
  'Intl', 'lmthing:internal/intl', 'default',
  'process', 'lmthing:internal/process', 'default',
  'queueMicrotask', TIMERS, 'queueMicrotask',
  'setTimeout', TIMERS, 'setTimeout',
  'setInterval', TIMERS, 'setInterval',
  'setImmediate', TIMERS, 'setImmediate',
  'clearTimeout', TIMERS, 'clearTimeout',
  'clearInterval', TIMERS, 'clearInterval',
  'clearImmediate', TIMERS, 'clearImmediate',
  'URL', URL, 'URL',
  'URLSearchParams', URL, 'URLSearchParams',
  'TextEncoder', ENCODING, 'TextEncoder',
  'TextDecoder', ENCODING, 'TextDecoder',
  'TextEncoderStream', ENCODING_STREAMS, 'TextEncoderStream',
  'TextDecoderStream', ENCODING_STREAMS, 'TextDecoderStream',
  'CompressionStream', COMPRESSION, 'CompressionStream',
  'DecompressionStream', COMPRESSION, 'DecompressionStream',
  'DOMException', 'lmthing:internal/web/dom-exception', 'DOMException',
  'Event', EVENTS, 'Event',
  'EventTarget', EVENTS, 'EventTarget',
  'CustomEvent', EVENTS, 'CustomEvent',
  'AbortController', EVENTS, 'AbortController',
  'AbortSignal', EVENTS, 'AbortSignal',
  'performance', PERFORMANCE, 'performance',
  'Performance', PERFORMANCE, 'Performance',
  'PerformanceEntry', PERFORMANCE, 'PerformanceEntry',
  'PerformanceMark', PERFORMANCE, 'PerformanceMark',
  'PerformanceMeasure', PERFORMANCE, 'PerformanceMeasure',
  'PerformanceObserver', PERFORMANCE, 'PerformanceObserver',
  'PerformanceObserverEntryList', PERFORMANCE, 'PerformanceObserverEntryList',
  'BroadcastChannel', MESSAGES, 'BroadcastChannel',
  'MessageChannel', MESSAGES, 'MessageChannel',
  'MessagePort', MESSAGES, 'MessagePort',
  'MessageEvent', MESSAGES, 'MessageEvent',
  'ReadableStream', STREAMS, 'ReadableStream',
  'ReadableStreamDefaultReader', STREAMS, 'ReadableStreamDefaultReader',
  'ReadableStreamDefaultController', STREAMS, 'ReadableStreamDefaultController',
  'ReadableStreamBYOBReader', STREAMS, 'ReadableStreamBYOBReader',
  'ReadableStreamBYOBRequest', STREAMS, 'ReadableStreamBYOBRequest',
  'ReadableByteStreamController', STREAMS, 'ReadableByteStreamController',
  'WritableStream', STREAMS, 'WritableStream',
  'WritableStreamDefaultWriter', STREAMS, 'WritableStreamDefaultWriter',
  'WritableStreamDefaultController', STREAMS, 'WritableStreamDefaultController',
  'TransformStream', STREAMS, 'TransformStream',
  'TransformStreamDefaultController', STREAMS, 'TransformStreamDefaultController',
  'ByteLengthQueuingStrategy', STREAMS, 'ByteLengthQueuingStrategy',
  'CountQueuingStrategy', STREAMS, 'CountQueuingStrategy',
  'Blob', BLOB, 'Blob',
  'File', BLOB, 'File',
  'FormData', 'lmthing:internal/web/form-data', 'FormData',
  'Headers', 'lmthing:internal/web/headers', 'Headers',
  'Request', FETCH, 'Request',
  'Response', FETCH, 'Response',
  'fetch', FETCH, 'fetch',
  'structuredClone', 'lmthing:internal/web/structured-clone', 'structuredClone',
  'crypto', CRYPTO, 'crypto',
  'Crypto', CRYPTO, 'Crypto',
  'CryptoKey', CRYPTO, 'CryptoKey',
  'SubtleCrypto', CRYPTO, 'SubtleCrypto',
  'Buffer', 'node:buffer', 'Buffer',
  // Node has no such class: PDF libraries need it when they load, and get it there from a native addon.
  'DOMMatrix', 'lmthing:internal/web/dom-matrix', 'DOMMatrix',
  'WeakRef', 'lmthing:internal/weak-ref', 'WeakRef',
  'WebAssembly', 'lmthing:internal/web/web-assembly', 'default',
];

let importBuiltin;

/**
 * Defines each global as an accessor that imports its module on the first read and then replaces itself by the value.
 * Assigning to it replaces it as well, as in Node.
 */
export function defineLazyGlobals(importer, isUtc) {
  importBuiltin = importer;
  // QuickJS's `Date` is sufficient in UTC.
  if (!isUtc) TABLE.push('Date', 'lmthing:internal/date', 'Date');
  const property = { __proto__: null, get: undefined, set: undefined, configurable: true, enumerable: false };
  for (let at = 0; at < TABLE.length; at += 3) {
    const here = at;
    property.get = () => replace(here, importBuiltin(TABLE[here + 1])[TABLE[here + 2]], false);
    property.set = (value) => void replace(here, value, true);
    Object.defineProperty(globalThis, TABLE[here], property);
  }
}

function replace(at, value, enumerable) {
  Object.defineProperty(globalThis, TABLE[at], { value, writable: true, configurable: true, enumerable });
  return value;
}
