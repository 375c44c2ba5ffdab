// The global `console`. Joins plain values itself; loads Node's inspection code for others.
import { now, patched, stderrHasColors, stdoutHasColors, writeStderr, writeStdout } from 'lmthing:internal/native/console';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { formatDuration } from './durations.js';
import { renderTable } from './table.js';

let inspection;
const inspector = () => (inspection ??= importBuiltin('lmthing:internal/inspect'));

const GROUP_INDENTATION = 2;
let indentation = '';

const counts = new Map();
const timers = new Map();

/** Text that needs no inspection, or undefined. With colours, numbers need it as well. */
function plain(args, colors) {
  if (args.length === 1 && typeof args[0] === 'string') return args[0];
  if (typeof args[0] === 'string' && args[0].includes('%')) return undefined;
  let text = '';
  for (let i = 0; i < args.length; i++) {
    const value = args[i];
    const type = typeof value;
    if (i > 0) text += ' ';
    if (type === 'string') text += value;
    else if (colors) return undefined;
    else if (type === 'number') text += Object.is(value, -0) ? '-0' : value;
    else if (type === 'boolean' || value === undefined || value === null) text += value;
    else return undefined;
  }
  return text;
}

function format(args, colors) {
  return plain(args, colors) ?? inspector().formatWithOptions({ colors }, ...args);
}

function line(write, text) {
  if (indentation !== '') text = indentation + text.replaceAll('\n', `\n${indentation}`);
  // Output goes through a `process.stdout.write` that a script has replaced.
  const stream = patched[write === writeStdout ? 1 : 2];
  if (stream) stream.write(`${text}\n`);
  else write(`${text.toWellFormed()}\n`);
}

function log(...args) {
  line(writeStdout, format(args, stdoutHasColors));
}

function warn(...args) {
  line(writeStderr, format(args, stderrHasColors));
}

function warning(message) {
  writeStderr(`(lmthing) Warning: ${message}\n`);
}

function elapsed(label, method, write) {
  const start = timers.get(label);
  if (start === undefined) warning(`No such label '${label}' for console.${method}()`);
  else write(`${label}: ${formatDuration(now() - start)}`);
  return start !== undefined;
}

const console = {
  log,
  warn,
  dir(value, options) {
    line(writeStdout, inspector().inspect(value, { customInspect: false, colors: stdoutHasColors, ...options }));
  },
  time(label = 'default') {
    label = `${label}`;
    if (timers.has(label)) warning(`Label '${label}' already exists for console.time()`);
    else timers.set(label, now());
  },
  timeEnd(label = 'default') {
    label = `${label}`;
    if (elapsed(label, 'timeEnd', (text) => log('%s', text))) timers.delete(label);
  },
  timeLog(label = 'default', ...data) {
    elapsed(`${label}`, 'timeLog', (text) => log('%s', text, ...data));
  },
  trace: function trace(...args) {
    const error = { name: 'Trace', message: args.length > 0 ? format(args, false) : '' };
    Error.captureStackTrace(error, trace);
    const frames = error.stack.split('\n').filter((text) => text.startsWith('    at '));
    const header = error.message === '' ? 'Trace' : `Trace: ${error.message}`;
    line(writeStderr, [header, ...frames].join('\n'));
  },
  assert(condition, ...args) {
    if (condition) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed:');
    warn(...(args.length === 1 && args[0] === 'Assertion failed:' ? ['Assertion failed'] : args));
  },
  clear() {},
  count(label = 'default') {
    label = `${label}`;
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    log('%s', `${label}: ${count}`);
  },
  countReset(label = 'default') {
    label = `${label}`;
    if (!counts.delete(label)) warning(`Count for '${label}' does not exist`);
  },
  group(...args) {
    if (args.length > 0) log(...args);
    indentation += ' '.repeat(GROUP_INDENTATION);
  },
  groupEnd() {
    indentation = indentation.slice(GROUP_INDENTATION);
  },
  table(data, properties) {
    if (data === null || typeof data !== 'object') return log(data);
    const table = renderTable(data, properties, inspector().inspect);
    if (table === undefined) log(data);
    else log(table);
  },
  debug: function debug(...args) {
    log(...args);
  },
  info: function info(...args) {
    log(...args);
  },
  error: function error(...args) {
    warn(...args);
  },
  dirxml: function dirxml(...args) {
    log(...args);
  },
  groupCollapsed: function groupCollapsed(...args) {
    console.group(...args);
  },
};
// No-ops without an inspector.
for (const name of ['profile', 'profileEnd', 'timeStamp']) console[name] = { [name]() {} }[name];
// Loads `node:console`, and with it Node's inspection code.
Object.defineProperty(console, 'Console', {
  get() {
    const { Console } = importBuiltin('node:console');
    Object.defineProperty(console, 'Console', { value: Console, writable: true, configurable: true, enumerable: true });
    return Console;
  },
  set: (value) => void Object.defineProperty(console, 'Console', { value, writable: true, configurable: true, enumerable: true }),
  enumerable: true,
  configurable: true,
});
Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });

export default console;
