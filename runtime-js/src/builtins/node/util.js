// `node:util`. Inspection is Node's own code (`lmthing:internal/inspect`), `parseArgs` the polyfill by its authors.
import { parseArgs as parseArguments } from '@pkgjs/parseargs';
import { format, formatWithOptions, inspect, stripVTControlCharacters } from 'lmthing:internal/inspect';
import { TextDecoder, TextEncoder } from 'lmthing:internal/web/encoding';
import types from 'node:util/types';
import { isDeepStrictEqual } from '../shared/deep-equal.js';
import { invalidArgumentType, nodeError, notOffered } from '../shared/errors.js';

const promisifyCustom = Symbol.for('nodejs.util.promisify.custom');

function promisify(original) {
  if (typeof original !== 'function') throw invalidArgumentType('original', 'of type function', original);
  const custom = original[promisifyCustom];
  if (custom) {
    if (typeof custom !== 'function') throw invalidArgumentType('util.promisify.custom', 'of type function', custom);
    return Object.defineProperty(custom, promisifyCustom, { value: custom, configurable: true });
  }
  function promised(...values) {
    return new Promise((resolve, reject) => {
      original.call(this, ...values, (error, value) => (error ? reject(error) : resolve(value)));
    });
  }
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  Object.defineProperty(promised, promisifyCustom, { value: promised, configurable: true });
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = promisifyCustom;

// Node gives timers a promise form that is not "error first".
const globals = { setImmediate: globalThis.setImmediate, setTimeout: globalThis.setTimeout };
globals.setTimeout[promisifyCustom] ??= (delay, value) => new Promise((resolve) => globals.setTimeout(resolve, delay, value));
globals.setImmediate[promisifyCustom] ??= (value) => new Promise((resolve) => globals.setImmediate(resolve, value));

function callbackify(original) {
  if (typeof original !== 'function') throw invalidArgumentType('original', 'of type function', original);
  return function callbackified(...values) {
    const callback = values.pop();
    if (typeof callback !== 'function') throw invalidArgumentType('last argument', 'of type function', callback);
    const later = (...result) => queueMicrotask(() => callback.apply(this, result));
    original.apply(this, values).then(
      (value) => later(null, value),
      (error) => {
        if (error) return later(error);
        const falsy = nodeError(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
        return later(Object.assign(falsy, { reason: error }));
      },
    );
  };
}

function inherits(constructor, superConstructor) {
  if (typeof constructor !== 'function') throw invalidArgumentType('ctor', 'of type function', constructor);
  if (typeof superConstructor !== 'function') throw invalidArgumentType('superCtor', 'of type function', superConstructor);
  Object.defineProperty(constructor, 'super_', { value: superConstructor, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, superConstructor.prototype);
}

const warnedCodes = new Set();
function deprecate(original, message, code = undefined) {
  let warned = false;
  function deprecated(...values) {
    if (!warned && !warnedCodes.has(code)) {
      warned = true;
      if (code !== undefined) warnedCodes.add(code);
      process.emitWarning?.(message, 'DeprecationWarning', code);
    }
    return new.target ? Reflect.construct(original, values, new.target) : Reflect.apply(original, this, values);
  }
  Object.setPrototypeOf(deprecated, original);
  if (original.prototype) deprecated.prototype = original.prototype;
  return deprecated;
}

/** Lines to standard error when `NODE_DEBUG` names the section. */
function debuglog(section) {
  const wanted = String(process.env.NODE_DEBUG ?? '').split(',').map((name) => name.trim().toUpperCase());
  const enabled = wanted.includes(section.toUpperCase()) || wanted.includes('*');
  const log = (...values) => {
    if (enabled) process.stderr.write(`${section.toUpperCase()} ${process.pid}: ${format(...values)}\n`);
  };
  return Object.defineProperty(log, 'enabled', { value: enabled });
}

/** Whether a stream shows colours, by Node's rules: `FORCE_COLOR` first, then a terminal without `NO_COLOR`. */
function showsColors(stream) {
  const { FORCE_COLOR, NO_COLOR, NODE_DISABLE_COLORS, TERM } = process.env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0';
  return Boolean(stream?.isTTY) && NO_COLOR === undefined && NODE_DISABLE_COLORS === undefined && TERM !== 'dumb';
}

function styleText(style, text, { validateStream = true, stream = process.stdout } = {}) {
  if (typeof text !== 'string') throw invalidArgumentType('text', 'of type string', text);
  const names = Array.isArray(style) ? style : [style];
  const codes = names.map((name) => {
    const code = inspect.colors[name];
    if (code) return code;
    const allowed = Object.keys(inspect.colors).map((color) => `'${color}'`).join(', ');
    const message = `The argument 'format' must be one of: ${allowed}. Received ${inspect(name)}`;
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message);
  });
  if (validateStream && !showsColors(stream)) return text;
  return codes.reduceRight((styled, [open, close]) => `\u001b[${open}m${styled}\u001b[${close}m`, text);
}

/** `util.parseArgs`; without `args` it reads those after the prompt file. */
function parseArgs(config = {}) {
  try {
    return parseArguments({ args: process.argv.slice(2), ...config });
  } catch (error) {
    // Node's are type errors; the polyfill's are plain.
    if (error.code?.startsWith('ERR_PARSE_ARGS')) throw nodeError(TypeError, error.code, error.message);
    throw error;
  }
}

const toUSVString = (value) => `${value}`.toWellFormed();
const { isArray } = Array;

async function aborted(signal, resource) {
  if (resource === null || typeof resource !== 'object') throw invalidArgumentType('resource', 'of type object', resource);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

const MIMEType = notOffered('util.MIMEType');
const getSystemErrorName = notOffered('util.getSystemErrorName');

export { aborted, callbackify, debuglog as debug, debuglog, deprecate, format, formatWithOptions, getSystemErrorName, inherits, inspect, isArray, isDeepStrictEqual, MIMEType, parseArgs, promisify, stripVTControlCharacters, styleText, TextDecoder, TextEncoder, toUSVString, types };
export default { aborted, callbackify, debug: debuglog, debuglog, deprecate, format, formatWithOptions, getSystemErrorName, inherits, inspect, isArray, isDeepStrictEqual, MIMEType, parseArgs, promisify, stripVTControlCharacters, styleText, TextDecoder, TextEncoder, toUSVString, types };
