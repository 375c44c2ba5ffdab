// `console.Console`: console methods that write to given streams.
import { formatWithOptions, inspect } from 'lmthing:internal/inspect';
import { formatDuration } from '../internal/durations.js';
import { renderTable } from '../internal/table.js';
import { brand } from '../shared/brand.js';
import { quietEnvironment } from '../shared/environment.js';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';

const hasWrite = (stream) => typeof stream?.write === 'function';

function readOptions(first, stderr, ignoreErrors) {
  const isOptions = first && typeof first === 'object' && !hasWrite(first);
  const options = isOptions ? first : { stdout: first, stderr, ignoreErrors };
  const { stdout, colorMode = 'auto', groupIndentation = 2, inspectOptions } = options;
  const errors = options.stderr ?? stdout;
  const unwritable = (name) => nodeError(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM', `Console expects a writable stream instance for ${name}`);
  if (!hasWrite(stdout)) throw unwritable('stdout');
  if (!hasWrite(errors)) throw unwritable('stderr');
  if (![true, false, 'auto'].includes(colorMode)) {
    const message = `The argument 'colorMode' must be one of: 'auto', true, false. Received ${inspect(colorMode)}`;
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message);
  }
  if (inspectOptions !== undefined && (inspectOptions === null || typeof inspectOptions !== 'object')) {
    throw invalidArgumentType('options.inspectOptions', 'of type object', inspectOptions);
  }
  if (inspectOptions?.colors !== undefined && options.colorMode !== undefined) {
    throw nodeError(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR', 'Option "options.inspectOptions.color" cannot be used in combination with option "colorMode"');
  }
  checkIndentation(groupIndentation);
  return { stdout, stderr: errors, ignoreErrors: options.ignoreErrors ?? true, colorMode, groupIndentation, inspectOptions };
}

function checkIndentation(count) {
  if (typeof count !== 'number') throw invalidArgumentType('groupIndentation', 'of type number', count);
  if (!Number.isInteger(count)) throw outOfRange('groupIndentation', 'an integer', count);
  if (count < 0 || count > 1000) throw outOfRange('groupIndentation', '>= 0 && <= 1000', count);
}

const METHODS = ['assert', 'clear', 'count', 'countReset', 'debug', 'dir', 'dirxml', 'error', 'group', 'groupCollapsed', 'groupEnd', 'info', 'log', 'table', 'time', 'timeEnd', 'timeLog', 'trace', 'warn'];

class StreamConsole {
  #options;
  #indentation = '';
  #counts = new Map();
  #timers = new Map();

  constructor(first, stderr = undefined, ignoreErrors = undefined) {
    this.#options = readOptions(first, stderr, ignoreErrors);
    Object.defineProperties(this, {
      _stdout: { value: this.#options.stdout, writable: true, configurable: true },
      _stderr: { value: this.#options.stderr, writable: true, configurable: true },
      [Symbol.toStringTag]: { value: 'console', configurable: true },
    });
    // Bound, so that methods work when taken off the console.
    for (const name of METHODS) this[name] = this[name].bind(this);
  }

  #inspection(stream) {
    const { colorMode, inspectOptions } = this.#options;
    const colors = colorMode === 'auto' ? Boolean(stream.isTTY && stream.getColorDepth?.() > 2) : colorMode;
    return { colors, ...inspectOptions };
  }

  #write(stream, text) {
    const { ignoreErrors } = this.#options;
    const indented = this.#indentation === '' ? text : this.#indentation + text.replaceAll('\n', `\n${this.#indentation}`);
    if (!ignoreErrors) return void stream.write(`${indented}\n`);
    // Write errors are ignored.
    const quiet = () => {};
    const isUnheard = () => stream.listenerCount?.('error') === 0;
    // The error may be reported to the callback first and emitted later.
    const failed = (error) => {
      if (error && !stream._writableState?.errorEmitted && isUnheard()) stream.once('error', quiet);
    };
    if (isUnheard()) stream.once('error', quiet);
    try {
      stream.write(`${indented}\n`, failed);
    } catch (error) {
      if (error instanceof RangeError && /call stack/i.test(error.message)) throw error;
    } finally {
      stream.removeListener?.('error', quiet);
    }
  }

  #print(stream, values) {
    this.#write(stream, formatWithOptions(this.#inspection(stream), ...values));
  }

  log(...values) {
    this.#print(this._stdout, values);
  }

  warn(...values) {
    this.#print(this._stderr, values);
  }

  dir(value, options) {
    this.#write(this._stdout, inspect(value, { customInspect: false, ...this.#inspection(this._stdout), ...options }));
  }

  trace(...values) {
    const error = { name: 'Trace', message: formatWithOptions(this.#inspection(this._stderr), ...values) };
    Error.captureStackTrace(error, StreamConsole.prototype.trace);
    this.error(error.stack);
  }

  assert(condition, ...values) {
    if (condition) return;
    values[0] = values.length === 0 ? 'Assertion failed' : `Assertion failed: ${values[0]}`;
    this.warn(...values);
  }

  /** Only on a terminal. */
  clear() {
    const { TERM } = quietEnvironment();
    if (this._stdout.isTTY && TERM !== 'dumb') this._stdout.write('\u001b[1;1H\u001b[0J');
  }

  count(label = 'default') {
    const name = `${label}`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.log(`${name}: ${count}`);
  }

  countReset(label = 'default') {
    if (!this.#counts.delete(`${label}`)) process.emitWarning(`Count for '${label}' does not exist`);
  }

  group(...values) {
    if (values.length > 0) this.log(...values);
    this.#indentation += ' '.repeat(this.#options.groupIndentation);
  }

  groupEnd() {
    this.#indentation = this.#indentation.slice(0, Math.max(0, this.#indentation.length - this.#options.groupIndentation));
  }

  table(data, properties) {
    if (data === null || typeof data !== 'object') return this.log(data);
    if (properties !== undefined && !Array.isArray(properties)) throw invalidArgumentType('properties', 'an instance of Array', properties);
    this.log(renderTable(data, properties, inspect) ?? data);
  }

  time(label = 'default') {
    if (this.#timers.has(`${label}`)) process.emitWarning(`Label '${label}' already exists for console.time()`);
    else this.#timers.set(`${label}`, performance.now());
  }

  timeEnd(label = 'default') {
    this.#tell(label, 'timeEnd', []);
    this.#timers.delete(`${label}`);
  }

  timeLog(label = 'default', ...values) {
    this.#tell(label, 'timeLog', values);
  }

  #tell(label, method, values) {
    const start = this.#timers.get(`${label}`);
    if (start === undefined) process.emitWarning(`No such label '${label}' for console.${method}()`);
    else this.log('%s: %s', label, formatDuration(performance.now() - start), ...values);
  }
}
/** Callable without `new`, as in Node. */
export function Console(...values) {
  return Reflect.construct(StreamConsole, values, new.target ?? Console);
}
const { prototype } = StreamConsole;
Console.prototype = prototype;
prototype.constructor = Console;
Object.defineProperty(Console, Symbol.hasInstance, {
  value(object) {
    return (this === Console && object === globalThis.console) || Function.prototype[Symbol.hasInstance].call(this, object);
  },
});
for (const [name, same] of Object.entries({ debug: 'log', info: 'log', dirxml: 'log', error: 'warn', groupCollapsed: 'group' })) {
  prototype[name] = prototype[same];
}
brand(Console, 'Console', false);
