// The `process` object. What only the program knows comes from Rust (`native/process`).
import { columns, stderrIsTerminal, stdoutIsTerminal, writeStderr, writeStdout } from 'lmthing:internal/native/console';
import { importBuiltin } from 'lmthing:internal/native/modules';
import * as native from 'lmthing:internal/native/process';
import { nextTick } from 'lmthing:internal/timers';

/** The Node release whose behaviour is followed; packages look at it to choose their code. */
const NODE_VERSION = '20.19.0';

const listeners = new Map();

function addListener(event, listener, { once = false, prepend = false } = {}) {
  const entry = { listener, once };
  const list = listeners.get(event) ?? [];
  listeners.set(event, prepend ? [entry, ...list] : [...list, entry]);
  return process;
}

function removeListener(event, listener) {
  const list = listeners.get(event) ?? [];
  listeners.set(event, list.filter((entry) => entry.listener !== listener));
  return process;
}

function emit(event, ...args) {
  const list = listeners.get(event) ?? [];
  for (const entry of list) {
    if (entry.once) listeners.set(event, (listeners.get(event) ?? []).filter((other) => other !== entry));
    entry.listener.apply(process, args);
  }
  return list.length > 0;
}

function stream(fd, isTTY, writeText) {
  const write = (chunk, encoding, callback) => {
    const text = typeof chunk === 'string' ? chunk.toWellFormed() : decode(chunk);
    writeText(text);
    const done = typeof encoding === 'function' ? encoding : callback;
    if (done) nextTick(done);
    return true;
  };
  const object = { fd, writable: true, write, end: (chunk) => void (chunk !== undefined && write(chunk)) };
  for (const method of ['on', 'once', 'off', 'addListener', 'removeListener', 'emit', 'cork', 'uncork']) {
    object[method] = () => object;
  }
  if (isTTY) object.isTTY = true;
  if (isTTY) Object.defineProperty(object, 'columns', { get: columns, enumerable: true, configurable: true });
  object.getColorDepth = () => (isTTY ? 8 : 1);
  object.hasColors = () => isTTY;
  return object;
}

function decode(chunk) {
  if (!ArrayBuffer.isView(chunk)) {
    const error = new TypeError('The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView.');
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
  }
  return new TextDecoder().decode(chunk);
}

let exitCode;

function toExitCode(code) {
  const number = code === undefined || code === null ? 0 : Number(code);
  if (Number.isInteger(number)) return number & 0xff;
  const error = new TypeError(`The "code" argument must be of type number. Received ${typeof code} (${String(code)})`);
  error.code = 'ERR_INVALID_ARG_TYPE';
  throw error;
}

/** Tells Rust to end the run, then spins until the engine interrupts it: no `finally` or `catch` of the script sees this. */
function exit(code = exitCode) {
  const number = toExitCode(code);
  emit('exit', number);
  native.requestExit(number);
  for (;;);
}

function hrtime(previous) {
  let [seconds, nanoseconds] = native.hrtime();
  if (previous !== undefined) {
    seconds -= previous[0];
    nanoseconds -= previous[1];
    if (nanoseconds < 0) {
      seconds -= 1;
      nanoseconds += 1e9;
    }
  }
  return [seconds, nanoseconds];
}
hrtime.bigint = () => {
  const [seconds, nanoseconds] = native.hrtime();
  return BigInt(seconds) * 1000000000n + BigInt(nanoseconds);
};

function memoryUsage() {
  const rss = native.residentSetSize();
  return { rss, heapTotal: rss, heapUsed: rss, external: 0, arrayBuffers: 0 };
}
memoryUsage.rss = native.residentSetSize;

function emitWarning(warning, typeOrOptions, code) {
  const options = typeof typeOrOptions === 'object' && typeOrOptions !== null ? typeOrOptions : { type: typeOrOptions, code };
  const isError = warning instanceof Error;
  const name = isError ? warning.name : (options.type ?? 'Warning');
  const message = isError ? warning.message : String(warning);
  const label = options.code ? `[${options.code}] ` : '';
  nextTick(() => {
    if (!emit('warning', isError ? warning : Object.assign(new Error(message), { name }))) {
      writeStderr(`(lmthing:${native.pid}) ${label}${name}: ${message}\n`);
    }
  });
}

/** Variables are texts, as in Node; another `TZ` is another `Date`. */
const env = new Proxy(native.env, {
  set: (target, name, value) => changeVariable(target, name, () => Reflect.set(target, name, typeof name === 'symbol' ? value : String(value))),
  defineProperty: (target, name, descriptor) => changeVariable(target, name, () => Reflect.defineProperty(target, name, descriptor)),
  deleteProperty: (target, name) => changeVariable(target, name, () => Reflect.deleteProperty(target, name)),
});

function changeVariable(target, name, change) {
  const before = target.TZ;
  const isDone = change();
  if (name === 'TZ' && target.TZ !== before) importBuiltin('lmthing:internal/date').install();
  return isDone;
}

const process = {
  title: 'lmthing',
  version: `v${NODE_VERSION}`,
  versions: { node: NODE_VERSION, lmthing: native.version },
  release: { name: 'node' },
  arch: native.arch,
  platform: native.platform,
  argv: native.argv,
  argv0: native.argv[0] ?? 'lmthing',
  execArgv: [],
  execPath: native.execPath,
  env,
  pid: native.pid,
  ppid: 0,
  features: {},
  config: {},
  get exitCode() {
    return exitCode;
  },
  set exitCode(code) {
    native.setExitCode(code === undefined || code === null ? undefined : toExitCode(code));
    exitCode = code;
  },
  stdout: stream(1, stdoutIsTerminal, writeStdout),
  stderr: stream(2, stderrIsTerminal, writeStderr),
  cwd: native.cwd,
  umask: () => 0o022,
  exit,
  nextTick,
  hrtime,
  memoryUsage,
  uptime: native.uptime,
  emitWarning,
  on: addListener,
  addListener,
  once: (event, listener) => addListener(event, listener, { once: true }),
  prependListener: (event, listener) => addListener(event, listener, { prepend: true }),
  off: removeListener,
  removeListener,
  removeAllListeners: (event) => (event === undefined ? listeners.clear() : listeners.delete(event), process),
  listeners: (event) => (listeners.get(event) ?? []).map(({ listener }) => listener),
  listenerCount: (event) => (listeners.get(event) ?? []).length,
  emit,
};
Object.defineProperty(process, Symbol.toStringTag, { value: 'process', configurable: true });
native.remember(process);

export default process;
