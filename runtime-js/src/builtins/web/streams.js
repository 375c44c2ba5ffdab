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
