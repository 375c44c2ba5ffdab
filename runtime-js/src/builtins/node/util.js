// `node:util`. Inspection is Node's own code (`lmthing:internal/inspect`); `parseArgs` is the polyfill by its authors.
import { parseArgs as parseArguments } from '@pkgjs/parseargs';
import { format, formatWithOptions, inspect, stripVTControlCharacters } from 'lmthing:internal/inspect';
import { TextDecoder, TextEncoder } from 'lmthing:internal/web/encoding';
import types from 'node:util/types';
import { isDeepStrictEqual } from '../shared/deep-equal.js';
import { quietEnvironment } from '../shared/environment.js';
import { parseEnvironment } from '../shared/env-file.js';
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import * as legacy from '../util/legacy.js';
import { MIMEParams, MIMEType } from '../util/mime.js';
import { _errnoException, _exceptionWithHostPort, getSystemErrorMap, getSystemErrorName } from '../util/system-errors.js';

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

// Node gives timers a custom promise form.
const globals = { setImmediate: globalThis.setImmediate, setTimeout: globalThis.setTimeout };
globals.setTimeout[promisifyCustom] ??= (delay, value) => new Promise((resolve) => globals.setTimeout(resolve, delay, value));
globals.setImmediate[promisifyCustom] ??= (value) => new Promise((resolve) => globals.setImmediate(resolve, value));

function callbackify(original) {
  if (typeof original !== 'function') throw invalidArgumentType('original', 'of type function', original);
  function callbackified(...values) {
    const callback = values.pop();
    if (typeof callback !== 'function') throw invalidLast(callback);
    const later = (...result) => process.nextTick(() => callback.apply(this, result));
    original.apply(this, values).then(
      (value) => later(null, value),
      (error) => {
        if (error) return later(error);
        const falsy = nodeError(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
        return later(Object.assign(falsy, { reason: error }));
      },
    );
  }
  const named = Object.getOwnPropertyDescriptors(original);
  if (typeof named.length.value === 'number') named.length.value += 1;
  if (typeof named.name.value === 'string') named.name.value += 'Callbackified';
  delete named.prototype;
  return Object.defineProperties(callbackified, named);
}

function invalidLast(value) {
  const { message } = invalidArgumentType('last argument', 'of type function', value);
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', message.replace('"last argument"', 'last').replace('argument argument', 'argument'));
}

function inherits(constructor, superConstructor) {
  if (constructor === undefined || constructor === null) throw invalidArgumentType('ctor', 'of type function', constructor);
  if (superConstructor === undefined || superConstructor === null) {
    throw invalidArgumentType('superCtor', 'of type function', superConstructor);
  }
  if (typeof superConstructor.prototype !== 'object') {
    throw invalidArgumentType('superCtor.prototype', 'of type object', superConstructor.prototype);
  }
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

/** Logs to standard error when `NODE_DEBUG` names the section. */
function debuglog(section) {
  const wanted = String(quietEnvironment().NODE_DEBUG ?? '').split(',').map((name) => name.trim().toUpperCase());
  const enabled = wanted.includes(section.toUpperCase()) || wanted.includes('*');
  const log = (...values) => {
    if (enabled) process.stderr.write(`${section.toUpperCase()} ${process.pid}: ${format(...values)}\n`);
  };
  return Object.defineProperty(log, 'enabled', { value: enabled });
}

/** Node's rules: `FORCE_COLOR` first, then a terminal without `NO_COLOR`. */
function showsColors(stream) {
  const { FORCE_COLOR, NO_COLOR, NODE_DISABLE_COLORS, TERM } = quietEnvironment();
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0';
  return Boolean(stream?.isTTY) && NO_COLOR === undefined && NODE_DISABLE_COLORS === undefined && TERM !== 'dumb';
}

function styleText(style, text, { validateStream = true, stream = process.stdout } = {}) {
  if (typeof text !== 'string') throw invalidArgumentType('text', 'of type string', text);
  const isList = Array.isArray(style);
  const names = isList ? style : [style];
  const codes = names.map((name) => {
    const code = inspect.colors[name];
    if (code) return code;
    const allowed = Object.keys(inspect.colors).map((color) => `'${color}'`).join(', ');
    const message = `The argument 'format' must be one of: ${allowed}. Received ${inspect(name)}`;
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message);
  });
  // Node checks the stream for a single style only.
  if (!isList && validateStream && !showsColors(stream)) return text;
  return codes.reduceRight((styled, [open, close]) => `\u001b[${open}m${styled}\u001b[${close}m`, text);
}

/** The polyfill's error messages for invalid configurations, and Node's current ones. */
const PARSE_ARGS_WORDS = [
  [/^(options\.\S+) must be \('string\|boolean'\) got/, (name) => `The "${name}" property must be ('string|boolean').`],
  [/^(options\.\S+) must be (\w+) got/, (name, type) => `The "${name}" property must be of type ${type.toLowerCase()}.`],
  [/^(\w+) must be Array got/, (name) => `The "${name}" argument must be an instance of Array.`],
  [/^The property (options\.\S+) must/, (name) => `The property '${name}' must`],
];

/** Without `args` it reads those after the prompt file. */
function parseArgs(config = {}) {
  const { allowNegative = false, ...rest } = { args: process.argv.slice(2), ...config };
  try {
    if (!allowNegative || !Array.isArray(rest.args)) return parseArguments(rest);
    return withoutNegated(parseArguments(negatable(rest)), rest);
  } catch (error) {
    throw readableParseError(error, config);
  }
}

const NEGATIVE = /^--no-(.+)$/s;

/** Adds an option `no-NAME` for every boolean option. */
function negatable(config) {
  const options = Object.entries(config.options ?? {});
  const switches = options.filter(([, { type }]) => type === 'boolean').map(([name]) => [`no-${name}`, { type: 'boolean' }]);
  return { ...config, options: { ...Object.fromEntries(switches), ...config.options }, tokens: true };
}

/** Sets `NAME` to false for each `--no-NAME`, unless a later `--NAME` overrides it. */
function withoutNegated({ values, positionals, tokens }, config) {
  const gathered = {};
  for (const token of tokens.filter(({ kind }) => kind === 'option')) {
    const negated = NEGATIVE.exec(token.rawName)?.[1];
    const isNegation = negated !== undefined && !config.options?.[token.name];
    if (isNegation) {
      delete values[token.name];
      token.name = negated;
    }
    const { type, multiple } = config.options?.[token.name] ?? {};
    if (!isNegation && type !== 'boolean') continue;
    if (!multiple) values[token.name] = !isNegation;
    else (gathered[token.name] ??= []).push(!isNegation);
  }
  Object.assign(values, gathered);
  return config.tokens ? { values, positionals, tokens } : { values, positionals };
}

/** Node throws type errors; the polyfill's are plain, and some have older messages. */
function readableParseError(error, config) {
  if (!/^ERR_(PARSE_ARGS|INVALID_ARG)/.test(error.code)) return error;
  for (const [pattern, words] of PARSE_ARGS_WORDS) {
    const match = pattern.exec(error.message);
    if (!match) continue;
    const [, name, property] = /^(?:options\.(.+)\.)?(\w+)$/.exec(match[1]) ?? [];
    const value = name === undefined ? config[property] : config.options?.[name]?.[property];
    const text = words(...match.slice(1));
    const rest = text.endsWith('.') ? invalidArgumentType('x', 'y', value).message.replace(/^.*? y\./s, '') : error.message.slice(match[0].length);
    return nodeError(TypeError, error.code, text + rest);
  }
  return error.code.startsWith('ERR_PARSE_ARGS') ? nodeError(TypeError, error.code, error.message) : error;
}

const toUSVString = (value) => `${value}`.toWellFormed();
async function aborted(signal, resource) {
  if (!(signal instanceof AbortSignal)) throw invalidArgumentType('signal', 'an instance of AbortSignal', signal);
  if (resource === null || typeof resource !== 'object') throw invalidArgumentType('resource', 'of type object', resource);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Parses the content of a `.env` file. */
function parseEnv(content) {
  if (typeof content !== 'string') throw invalidArgumentType('content', 'of type string', content);
  return parseEnvironment(content);
}

// There are no threads to transfer it to.
const transferableAbortController = () => new AbortController();
function transferableAbortSignal(signal) {
  if (!(signal instanceof AbortSignal)) throw invalidArgumentType('signal', 'an instance of AbortSignal', signal);
  return signal;
}

export const { _extend, isArray, isBoolean, isBuffer, isDate, isError, isFunction, isNull, isNullOrUndefined, isNumber, isObject, isPrimitive, isRegExp, isString, isSymbol, isUndefined, log } = legacy;
export { _errnoException, _exceptionWithHostPort, aborted, callbackify, debuglog as debug, debuglog, deprecate, format, formatWithOptions, getSystemErrorMap, getSystemErrorName, inherits, inspect, isDeepStrictEqual, MIMEParams, MIMEType, parseArgs, parseEnv, promisify, stripVTControlCharacters, styleText, TextDecoder, TextEncoder, toUSVString, transferableAbortController, transferableAbortSignal, types };
export default { ...legacy, _errnoException, _exceptionWithHostPort, aborted, callbackify, debug: debuglog, debuglog, deprecate, format, formatWithOptions, getSystemErrorMap, getSystemErrorName, inherits, inspect, isDeepStrictEqual, MIMEParams, MIMEType, parseArgs, parseEnv, promisify, stripVTControlCharacters, styleText, TextDecoder, TextEncoder, toUSVString, transferableAbortController, transferableAbortSignal, types };
