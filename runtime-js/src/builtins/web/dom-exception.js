// `DOMException`: QuickJS's, with a `cause` and a stack like other errors.
import { engineDOMException as EngineException } from 'lmthing:internal/bootstrap';
import { brand } from '../shared/brand.js';

export function DOMException(message = '', options = 'Error') {
  if (!new.target) throw new TypeError("Class constructor DOMException cannot be invoked without 'new'");
  const isObject = options !== null && typeof options === 'object';
  const exception = Reflect.construct(EngineException, [`${message}`, isObject ? `${options.name ?? 'Error'}` : `${options}`], new.target);
  Error.captureStackTrace(exception, DOMException);
  if (isObject && 'cause' in options) {
    Object.defineProperty(exception, 'cause', { value: options.cause, writable: true, configurable: true });
  }
  return exception;
}
DOMException.prototype = EngineException.prototype;
Object.defineProperty(DOMException.prototype, 'constructor', { value: DOMException, writable: true, configurable: true });
for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(EngineException))) {
  if (/^[A-Z_]+$/.test(name)) Object.defineProperty(DOMException, name, { value, enumerable: true });
}
brand(DOMException, 'DOMException', false);
