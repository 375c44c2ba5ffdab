// Reading options as ECMA-402 does, with V8's words for what is wrong with them.

/** The options of most constructors: undefined stands for none. */
export function toOptions(options, owner) {
  if (options === undefined) return Object.create(null);
  if (options === null) throw new TypeError(owner === undefined ? 'Cannot convert undefined or null to object' : `${owner} called on null or undefined`);
  return Object(options);
}

/** The options of the newer constructors, which take objects only. */
export function toOptionsObject(options) {
  if (options === undefined) return Object.create(null);
  if (typeof options === 'object' && options !== null) return options;
  if (typeof options === 'function') return options;
  throw new TypeError('invalid_argument');
}

/** A text option that has to be one of `values` (any text where these are undefined). */
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

/** Makes what ECMA-402 wants of each constructor: `supportedLocalesOf`, a tag, members that are not enumerable. */
export function finish(Class, name, supportedLocalesOf) {
  // Bundling renames classes that mention themselves.
  Object.defineProperty(Class, 'name', { value: name.replace('Intl.', ''), configurable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
  if (supportedLocalesOf) {
    const { method } = { method: { supportedLocalesOf(locales, options = undefined) { return supportedLocalesOf(locales, options); } }.supportedLocalesOf };
    Object.defineProperty(method, 'length', { value: 1, configurable: true });
    Object.defineProperty(Class, 'supportedLocalesOf', { value: method, writable: true, configurable: true });
  }
  return Class;
}

/** The hidden state of an object of ours, or V8's complaint about another one. */
export function stateOf(states, object, method) {
  const state = states.get(object);
  if (state === undefined) throw new TypeError(`Method ${method} called on incompatible receiver ${describe(object)}`);
  return state;
}

function describe(value) {
  if (typeof value === 'object' && value !== null) return Object.prototype.toString.call(value);
  return typeof value === 'symbol' ? value.toString() : String(value);
}
