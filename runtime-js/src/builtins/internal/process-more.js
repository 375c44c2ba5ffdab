// Less common members of `process`.
import * as childProcess from 'lmthing:internal/native/child-process';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { pid as ownPid } from 'lmthing:internal/native/process';
import { writeStderr } from 'lmthing:internal/native/console';
import * as system from 'lmthing:internal/native/system';
import process from 'lmthing:internal/process';
import { pathText } from '../fs/arguments.js';
import { parseEnvironment } from '../shared/env-file.js';
import { quietEnvironment } from '../shared/environment.js';
import { invalidArgumentType, nodeError, notOffered } from '../shared/errors.js';
import { signalsOf } from '../shared/signals.js';
import { errnoError } from '../shared/system-error.js';

const [UID, EUID, GID, EGID, GROUPS] = [0, 1, 2, 3, 4];
export const getuid = () => system.identity()[UID];
export const geteuid = () => system.identity()[EUID];
export const getgid = () => system.identity()[GID];
export const getegid = () => system.identity()[EGID];
export const getgroups = () => system.identity().slice(GROUPS);
const notAsAnother = (name) => notOffered(`process.${name}`, 'start a child process with the options uid and gid');
export const setuid = notAsAnother('setuid');
export const seteuid = notAsAnother('seteuid');
export const setgid = notAsAnother('setgid');
export const setegid = notAsAnother('setegid');
export const setgroups = notAsAnother('setgroups');

export function abort() {
  childProcess.kill(ownPid, signalsOf(process.platform).SIGABRT);
}

export function binding(name) {
  throw nodeError(Error, 'ERR_INVALID_MODULE', `No such module: ${name}`);
}

export const dlopen = notOffered('process.dlopen', 'native addons cannot be loaded');

export function chdir(directory) {
  if (typeof directory !== 'string') throw invalidArgumentType('directory', 'of type string', directory);
  const failure = system.chdir(directory.toWellFormed());
  if (!failure) return;
  // Only now: packages such as graceful-fs replace `process.cwd` by a function that keeps its first result.
  const path = process.cwd();
  const words = { ENOENT: 'no such file or directory', ENOTDIR: 'not a directory', EACCES: 'permission denied' };
  const error = new Error(`${failure.code}: ${words[failure.code] ?? 'unknown error'}, chdir '${path}' -> '${directory}'`);
  throw Object.assign(error, { errno: -failure.number, code: failure.code, syscall: 'chdir', path, dest: directory });
}

export function umask(mask) {
  if (mask === undefined) return system.umask(undefined);
  const number = typeof mask === 'string' && /^[0-7]+$/.test(mask) ? Number.parseInt(mask, 8) : mask;
  if (typeof number === 'string') {
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'mask' must be a 32-bit unsigned integer or an octal string. Received '${mask}'`);
  }
  if (!Number.isInteger(number) || number < 0) throw invalidArgumentType('mask', 'of type number', mask);
  return system.umask(number & 0o777);
}

export function kill(pid, signal) {
  // Loose as in Node: "12" is a process id, too.
  if (pid != (pid | 0)) throw invalidArgumentType('pid', 'of type number', pid);
  const signals = signalsOf(process.platform);
  const number = typeof signal === 'number' ? signal : signals[signal ?? 'SIGTERM'];
  if (number === undefined) throw nodeError(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
  const failure = childProcess.kill(pid | 0, number);
  if (failure) throw errnoError(failure, 'kill');
  return true;
}

function difference(previous, name, now) {
  const value = previous?.[name] ?? 0;
  if (typeof value !== 'number') throw invalidArgumentType(`prevValue.${name}`, 'of type number', value);
  if (!(value >= 0)) throw nodeError(RangeError, 'ERR_INVALID_ARG_VALUE', `The property 'prevValue.${name}' is invalid. Received ${value}`);
  return now - value;
}

export function cpuUsage(previous) {
  if (previous !== undefined && (typeof previous !== 'object' || previous === null)) throw invalidArgumentType('prevValue', 'of type object', previous);
  const now = system.usage();
  return { user: difference(previous, 'user', now.user), system: difference(previous, 'system', now.system) };
}

export function resourceUsage() {
  const usage = system.usage();
  return {
    userCPUTime: usage.user, systemCPUTime: usage.system, maxRSS: usage.maxResident, sharedMemorySize: 0, unsharedDataSize: 0,
    unsharedStackSize: 0, minorPageFault: usage.minorFaults, majorPageFault: usage.majorFaults, swappedOut: 0,
    fsRead: usage.read, fsWrite: usage.written, ipcSent: 0, ipcReceived: 0, signalsCount: 0,
    voluntaryContextSwitches: usage.voluntary, involuntaryContextSwitches: usage.involuntary,
  };
}

export const availableMemory = () => importBuiltin('node:os').freemem();
export const constrainedMemory = () => 0;
export const getActiveResourcesInfo = () => [];
export const setSourceMapsEnabled = () => {};

export function openStdin() {
  process.stdin.resume();
  return process.stdin;
}

export function getBuiltinModule(id) {
  if (typeof id !== 'string') throw invalidArgumentType('id', 'of type string', id);
  const { createRequire, isBuiltin } = importBuiltin('node:module');
  return isBuiltin(id) ? createRequire('/')(id) : undefined;
}

/** Sets unset variables from a `.env` file. */
export function loadEnvFile(path = '.env') {
  const text = importBuiltin('node:fs').default.readFileSync(pathText(path), 'utf8');
  for (const [name, value] of Object.entries(parseEnvironment(text))) if (quietEnvironment()[name] === undefined) process.env[name] = value;
}

export function setUncaughtExceptionCaptureCallback(callback) {
  const { hasCapture, setCapture } = importBuiltin('lmthing:internal/process-events');
  importBuiltin('node:events');
  if (callback === null) return setCapture(null);
  if (typeof callback !== 'function') throw invalidArgumentType('fn', 'of type function or null', callback);
  if (hasCapture()) {
    const message = '`process.setUncaughtExceptionCaptureCallback()` was called while a capture callback was already active';
    throw nodeError(Error, 'ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET', message);
  }
  setCapture(callback);
}
export const hasUncaughtExceptionCaptureCallback = () => importBuiltin('lmthing:internal/process-events').hasCapture();

function makeWarning(warning, type = 'Warning', code = undefined, detail = undefined) {
  if (warning instanceof Error) return warning;
  if (typeof warning !== 'string') throw invalidArgumentType('warning', 'of type string or an instance of Error', warning);
  const error = new Error(warning);
  Error.captureStackTrace(error, emitWarning);
  error.name = `${type}`;
  if (code !== undefined) error.code = code;
  if (detail !== undefined) error.detail = detail;
  return error;
}

function show(warning) {
  if (process.noDeprecation && warning.name === 'DeprecationWarning') return;
  if (quietEnvironment().NODE_NO_WARNINGS === '1') return;
  const label = warning.code ? `[${warning.code}] ` : '';
  const detail = typeof warning.detail === 'string' ? `\n${warning.detail}` : '';
  writeStderr(`(lmthing:${ownPid}) ${label}${Error.prototype.toString.call(warning)}${detail}\n`.toWellFormed());
}

export function emitWarning(warning, type, code) {
  let detail;
  if (type !== null && typeof type === 'object' && !Array.isArray(type)) ({ type, code, detail } = type);
  else if (typeof type === 'function') type = code = undefined;
  if (type !== undefined && typeof type !== 'string') throw invalidArgumentType('type', 'of type string', type);
  if (typeof code === 'function') code = undefined;
  if (code !== undefined && typeof code !== 'string') throw invalidArgumentType('code', 'of type string', code);
  const made = makeWarning(warning, type, code, typeof detail === 'string' ? detail : undefined);
  if (made.name === 'DeprecationWarning' && process.noDeprecation) return;
  process.nextTick(() => {
    show(made);
    process.emit('warning', made);
  });
}
