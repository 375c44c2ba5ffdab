// The `process` object.
//
// It becomes an `EventEmitter` when that is first needed (`process-events.js`), and less common members are in
// `process-more.js`, so that a script that only reads `process.env` loads neither.
import { drawStderr, drawStdout, stderrIsTerminal, stdoutIsTerminal, writeStderrBytes, writeStdoutBytes } from 'lmthing:internal/native/console';
import { importBuiltin } from 'lmthing:internal/native/modules';
import * as native from 'lmthing:internal/native/process';
import { nextTick } from 'lmthing:internal/timers';
import { environment } from '../shared/environment.js';
import { invalidArgumentType, outOfRange } from '../shared/errors.js';
import { inputStream, outputStream } from '../shared/standard-streams.js';

/** The Node release that is emulated; packages select code by it. */
const NODE_VERSION = '20.20.2';
/** Component versions of that release; packages read some of these. */
const VERSIONS = {
  node: NODE_VERSION, modules: '115', v8: '11.3.244.8-node.38', uv: '1.46.0', zlib: '1.3.1', brotli: '1.1.0', openssl: '3.0.19', llhttp: '9.3.1', undici: '6.24.1',
  unicode: '17.0', icu: '78.2', cldr: '48.0', tz: '2025c',
};

/** The prototype of `process`; `process-events.js` inserts `EventEmitter` above it. */
const prototype = Object.create(Object.prototype, { constructor: { value: function process() {}, writable: true, configurable: true } });
const EMITTER_METHODS = [
  'addListener', 'emit', 'eventNames', 'getMaxListeners', 'listenerCount', 'listeners', 'off', 'on', 'once', 'prependListener',
  'prependOnceListener', 'rawListeners', 'removeAllListeners', 'removeListener', 'setMaxListeners',
];
for (const name of EMITTER_METHODS) {
  const method = { [name]: (...values) => (importBuiltin('node:events'), process[name](...values)) }[name];
  Object.defineProperty(prototype, name, { value: method, writable: true, configurable: true });
}

/** Called once by `node:events`. */
export function becomeEmitter(EventEmitter) {
  for (const name of EMITTER_METHODS) delete prototype[name];
  Object.setPrototypeOf(prototype, EventEmitter.prototype);
  EventEmitter.call(process);
  for (const name of ['_events', '_eventsCount', '_maxListeners']) Object.defineProperty(process, name, { enumerable: false });
  importBuiltin('lmthing:internal/process-events').connect(process, exit);
}

let exitCode;

/** Accepts integers, also as strings. */
function checkExitCode(code) {
  if (code === undefined || code === null) return;
  const number = typeof code === 'string' && code.trim() !== '' ? Number(code) : code;
  if (typeof number !== 'number' || (typeof code === 'string' && Number.isNaN(number))) throw invalidArgumentType('code', 'of type number', code);
  if (!Number.isInteger(number)) throw outOfRange('code', 'an integer', code);
}

/**
 * Requests the end of the run, then spins until the engine interrupts the script, so that no `finally` or `catch` runs.
 */
function reallyExit(code = 0) {
  native.requestExit(Number(code) & 0xff);
  for (;;);
}

function exit(code) {
  if (arguments.length !== 0) process.exitCode = code;
  if (!process._exiting) {
    process._exiting = true;
    if (Object.getPrototypeOf(prototype) !== Object.prototype) process.emit('exit', process.exitCode || 0);
  }
  process.reallyExit(process.exitCode || 0);
}

function hrtime(previous) {
  let [seconds, nanoseconds] = native.hrtime();
  if (previous !== undefined) {
    if (!Array.isArray(previous)) throw invalidArgumentType('time', 'an instance of Array', previous);
    if (previous.length !== 2) throw outOfRange('time', '2', previous.length);
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

const process = Object.create(prototype);
Object.assign(process, {
  version: `v${NODE_VERSION}`,
  versions: { ...VERSIONS, lmthing: native.version },
  arch: native.arch,
  platform: native.platform,
  release: { name: 'node', lts: 'Iron' },
  title: 'lmthing',
  argv: native.argv,
  argv0: native.argv[0] ?? 'lmthing',
  execArgv: [],
  execPath: native.execPath,
  env: environment(native.env, native.noteVariable, native.refuseVariable),
  pid: native.pid,
  ppid: native.ppid,
  config: { target_defaults: { cflags: [], default_configuration: 'Release', defines: [], include_dirs: [], libraries: [] }, variables: {} },
  features: { inspector: false, debug: false, uv: false, ipv6: true, tls_alpn: true, tls_sni: true, tls_ocsp: false, tls: true, cached_builtins: true, require_module: true },
  allowedNodeEnvironmentFlags: Object.freeze(new Set()),
  debugPort: 9229,
  _exiting: false,
  cwd: native.cwd,
  exit,
  reallyExit,
  nextTick,
  hrtime,
  memoryUsage,
  uptime: native.uptime,
});
Object.defineProperty(process, 'exitCode', {
  get: () => exitCode,
  set(code) {
    checkExitCode(code);
    exitCode = code;
    native.setExitCode(code === undefined || code === null ? undefined : Number(code) & 0xff);
  },
  enumerable: true,
  configurable: false,
});

process.stdin = inputStream();
process.stdout = outputStream(1, stdoutIsTerminal, drawStdout, writeStdoutBytes);
process.stderr = outputStream(2, stderrIsTerminal, drawStderr, writeStderrBytes);

const more = () => importBuiltin('lmthing:internal/process-more');
const MORE_METHODS = [
  'abort', 'availableMemory', 'binding', 'chdir', 'constrainedMemory', 'cpuUsage', 'dlopen', 'emitWarning',
  'getActiveResourcesInfo', 'getBuiltinModule', 'getegid', 'geteuid', 'getgid', 'getgroups', 'getuid',
  'hasUncaughtExceptionCaptureCallback', 'kill', 'loadEnvFile', 'openStdin', 'resourceUsage', 'setegid', 'seteuid', 'setgid',
  'setgroups', 'setSourceMapsEnabled', 'setuid', 'setUncaughtExceptionCaptureCallback', 'umask',
];
for (const name of MORE_METHODS) {
  process[name] = { [name]: (...values) => more()[name](...values) }[name];
}
Object.defineProperty(process, Symbol.toStringTag, { value: 'process', configurable: true });
native.remember(process);

export { becomeStreams } from '../shared/standard-streams.js';
export default process;
