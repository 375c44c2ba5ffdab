// Checks and normalizes the arguments of `spawn` and related functions.
import process from 'lmthing:internal/process';
import { pathText } from '../fs/arguments.js';
import { invalidArgumentType, nodeError, notOffered, outOfRange } from '../shared/errors.js';
import { signalsOf } from '../shared/signals.js';

const isWindows = process.platform === 'win32';
const PIPE = -1;
const IGNORE = -2;
const NAMES = { pipe: PIPE, overlapped: PIPE, ignore: IGNORE };

export const isPipe = (wiring) => wiring === PIPE;

function checkText(value, name) {
  if (typeof value !== 'string') throw invalidArgumentType(name, 'of type string', value);
  if (value.includes('\0')) {
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument '${name}' must be a string without null bytes. Received '${value.replaceAll('\0', '\\x00')}'`);
  }
  return value.toWellFormed();
}

export function signalNumber(signal) {
  const signals = signalsOf(process.platform);
  if (typeof signal === 'number' && Object.values(signals).includes(signal)) return signal;
  if (typeof signal !== 'string' && typeof signal !== 'number') {
    throw invalidArgumentType('signal', 'one of type string or number', signal);
  }
  const number = signals[`${signal}`.toUpperCase()];
  if (number === undefined) throw nodeError(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
  return number;
}

/** Normalizes `(file, args?, options?)`. */
export function sortArguments(file, args, options) {
  file = checkText(file, 'file');
  if (file.length === 0) {
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'file' cannot be empty. Received ''`);
  }
  if (Array.isArray(args)) args = [...args];
  else if (args === undefined || args === null) args = [];
  else if (typeof args !== 'object') throw invalidArgumentType('args', 'of type object', args);
  else [args, options] = [[], args];
  if (options === undefined || options === null) options = {};
  else if (typeof options !== 'object') throw invalidArgumentType('options', 'of type object', options);
  return { file, args: args.map((value, index) => checkText(`${value}`, `args[${index}]`)), options };
}

function checkOptions(options) {
  const check = (name, type) => {
    const value = options[name];
    if (value !== undefined && value !== null && typeof value !== type) throw invalidArgumentType(`options.${name}`, `of type ${type}`, value);
  };
  check('detached', 'boolean');
  check('argv0', 'string');
  check('windowsHide', 'boolean');
  for (const name of ['uid', 'gid']) {
    const value = options[name];
    if (value !== undefined && value !== null && !Number.isInteger(value)) throw invalidArgumentType(`options.${name}`, 'int32', value);
  }
  const { shell } = options;
  if (shell !== undefined && shell !== null && typeof shell !== 'boolean' && typeof shell !== 'string') {
    throw invalidArgumentType('options.shell', 'one of type boolean or string', shell);
  }
}

/** Checks `timeout`, `maxBuffer` and `killSignal`. */
export function limitsOf({ timeout, maxBuffer, killSignal }, defaultBuffer = Infinity) {
  if (timeout !== undefined && timeout !== null && !(Number.isInteger(timeout) && timeout >= 0)) {
    if (typeof timeout !== 'number') throw invalidArgumentType('timeout', 'of type number', timeout);
    throw outOfRange('timeout', 'an unsigned integer', timeout);
  }
  if (maxBuffer !== undefined && maxBuffer !== null) {
    if (typeof maxBuffer !== 'number') throw invalidArgumentType('options.maxBuffer', 'of type number', maxBuffer);
    if (!(maxBuffer >= 0)) throw outOfRange('options.maxBuffer', 'a positive number', maxBuffer);
  }
  const signal = killSignal === undefined || killSignal === null ? 'SIGTERM' : killSignal;
  return { timeout: timeout ?? 0, maxBuffer: maxBuffer ?? defaultBuffer, killSignal: signalNumber(signal) };
}

/** Names and values in turn, without undefined ones. */
function environment(env) {
  const list = [];
  for (const name in env) {
    if (env[name] !== undefined) list.push(checkText(name, `options.env['${name}']`), checkText(`${env[name]}`, `options.env['${name}']`));
  }
  return list;
}

function wiringOf(value, index) {
  if (value === undefined || value === null) return index < 3 ? PIPE : IGNORE;
  if (value in NAMES) return NAMES[value];
  if (value === 'inherit') return index;
  if (value === 'ipc') throw notOffered('channels between processes (stdio: ipc)', 'talk over the pipes of stdin and stdout')();
  const descriptor = typeof value === 'number' ? value : (value.fd ?? value._handle?.fd);
  if (Number.isInteger(descriptor) && descriptor >= 0) return descriptor;
  throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'stdio' is invalid. Received ${typeof value === 'string' ? `'${value}'` : String(value)}`);
}

/** `stdio` as numbers: descriptors of this process, or negative for pipe and ignore. */
export function wiring(stdio = 'pipe') {
  if (typeof stdio === 'string') {
    if (!(stdio in NAMES) && stdio !== 'inherit') {
      throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'stdio' is invalid. Received '${stdio}'`);
    }
    stdio = [stdio, stdio, stdio];
  } else if (!Array.isArray(stdio)) {
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'stdio' is invalid. Received ${String(stdio)}`);
  }
  const list = Array.from({ length: Math.max(3, stdio.length) }, (_, index) => wiringOf(stdio[index], index));
  if (list.slice(3).some((item) => item !== IGNORE)) notOffered('more than three standard streams of a child (stdio)')();
  return list;
}

/** What the native half needs to start the child, and what scripts see of it. */
export function plan(file, args, options) {
  checkOptions(options);
  const cwd = options.cwd === undefined || options.cwd === null ? undefined : pathText(options.cwd, 'options.cwd');
  if (options.shell) [file, args] = shellCommand([file, ...args].join(' ').toWellFormed(), options.shell);
  const argv0 = options.argv0 ?? file;
  const native = {
    file, args, cwd,
    argv0: options.argv0?.toWellFormed(),
    env: environment(options.env ?? process.env),
    stdio: wiring(options.stdio),
    detached: Boolean(options.detached),
    uid: options.uid ?? undefined,
    gid: options.gid ?? undefined,
  };
  return { native, file, args: [argv0, ...args] };
}

function shellCommand(command, shell) {
  if (!isWindows) return [typeof shell === 'string' ? shell : '/bin/sh', ['-c', command]];
  const file = typeof shell === 'string' ? shell : process.env.comspec || 'cmd.exe';
  return [file, /^(?:.*\\)?cmd(?:\.exe)?$/i.test(file) ? ['/d', '/s', '/c', `"${command}"`] : ['-c', command]];
}

export function checkSignal(signal) {
  if (signal !== undefined && (typeof signal !== 'object' || signal === null || !('aborted' in signal))) {
    throw invalidArgumentType('options.signal', 'an instance of AbortSignal', signal);
  }
}
