// Option reading as in ECMA-402, with V8's error messages.

/** CoerceOptionsToObject, with undefined as no options. */
export function toOptions(options, owner) {
  if (options === undefined) return Object.create(null);
  if (options === null) throw new TypeError(owner === undefined ? 'Cannot convert undefined or null to object' : `${owner} called on null or undefined`);
  return Object(options);
}

/** GetOptionsObject of the newer constructors, which accept objects only. */
export function toOptionsObject(options) {
  if (options === undefined) return Object.create(null);
  if (typeof options === 'object' && options !== null) return options;
  if (typeof options === 'function') return options;
  throw new TypeError('invalid_argument');
}

/** GetOption for strings; any text if `values` is undefined. */
export function textOption(options, name, values, fallback, owner) {
  const value = options[name];
  if (value === undefined) return fallback;
  const text = String(value);
  if (values !== undefined && !values.includes(text)) {
    throw new RangeError(`Value ${text} out of range for ${owner} options property ${name}`);
  }
  return text;
}

export function booleanOption(options, name, fallback) {
  const value = options[name];
  return value === undefined ? fallback : Boolean(value);
}

export function numberOption(options, name, least, most, fallback) {
  return defaultNumber(options[name], least, most, fallback, name);
}

export function defaultNumber(value, least, most, fallback, name) {
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!(number >= least && number <= most)) throw new RangeError(`${name} value is out of range.`);
  return Math.floor(number);
}

/** Adds what every constructor has: `supportedLocalesOf`, a tag, non-enumerable members. */
export function finish(Class, name, supportedLocalesOf) {
  // The bundler renames classes that refer to themselves.
  Object.defineProperty(Class, 'name', { value: name.replace('Intl.', ''), configurable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
  if (supportedLocalesOf) {
    const { method } = { method: { supportedLocalesOf(locales, options = undefined) { return supportedLocalesOf(locales, options); } }.supportedLocalesOf };
    Object.defineProperty(method, 'length', { value: 1, configurable: true });
    Object.defineProperty(Class, 'supportedLocalesOf', { value: method, writable: true, configurable: true });
  }
  return Class;
}

/** The internal state of an object, or V8's error for an incompatible receiver. */
export function stateOf(states, object, method) {
  const state = states.get(object);
  if (state === undefined) throw new TypeError(`Method ${method} called on incompatible receiver ${describe(object)}`);
  return state;
}

function describe(value) {
  if (typeof value === 'object' && value !== null) return Object.prototype.toString.call(value);
  return typeof value === 'symbol' ? value.toString() : String(value);
}
