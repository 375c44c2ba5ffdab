// Every file operation once: which native does it, with which arguments, and what becomes of its result. The faces – blocking,
// callbacks, promises – are made from this table.
import * as native from 'lmthing:internal/native/fs';
import { nodeError } from '../shared/errors.js';
import { origin, withOrigin } from '../shared/origin.js';
import { dataBytes, decoded, milliseconds, modeOf, optionsOf, pathText } from './arguments.js';
import { constants } from './constants.js';
import { BigIntStats, Dirent, Stats } from './entries.js';

/** Node's error for a failed operation. */
function systemError({ code, number, text }, { syscall, path, dest, reads = false }) {
  if (code === 'ERR_FS_EISDIR') {
    const error = nodeError(Error, code, `Path is a directory: ${syscall} returned EISDIR (is a directory) ${path}`);
    return Object.assign(error, { errno: number, syscall, path });
  }
  // Opening a directory works; only reading it fails, and that no longer names the path.
  if (code === 'EISDIR' && reads) [syscall, path] = ['read', undefined];
  const at = path === undefined ? '' : ` '${path}'`;
  const error = new Error(`${code}: ${text}, ${syscall}${at}${dest === undefined ? '' : ` -> '${dest}'`}`);
  Object.assign(error, { errno: -number, code, syscall });
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  return error;
}

/** A call of a native: `operation`, its `values`, how an error is told, and `finish(result)`. */
const call = (operation, values, told, finish = (value) => value) => ({ operation, values, told, finish });

function settle(outcome, { told, finish, recover }) {
  if (outcome.code === undefined) return finish(outcome.value);
  if (recover && outcome.code in recover) return recover[outcome.code];
  throw systemError(outcome, told);
}

export const runSync = (plan) => settle(native[plan.operation](plan.values), plan);
export async function runAsync(plan) {
  const from = origin();
  const outcome = await native[`${plan.operation}Async`](plan.values);
  try {
    return settle(outcome, plan);
  } catch (error) {
    throw withOrigin(error, from);
  }
}

function writePlan(file, data, options, flag) {
  const { encoding, mode, flag: given } = optionsOf(options, { encoding: 'utf8', flag });
  const path = pathText(file);
  return call('writeFile', [path, dataBytes(data, encoding), given, modeOf(mode, 0o666)], { syscall: 'open', path });
}

function statPlan(file, options, follow) {
  const path = pathText(file);
  const { bigint, throwIfNoEntry = true } = optionsOf(options);
  const plan = call('stat', [path, follow], { syscall: follow ? 'stat' : 'lstat', path }, (numbers) =>
    bigint ? new BigIntStats(numbers) : new Stats(numbers),
  );
  if (!throwIfNoEntry) plan.recover = { ENOENT: undefined, ENOTDIR: undefined };
  return plan;
}

const plainPlan = (operation, syscall) => (file) => call(operation, [pathText(file)], { syscall, path: pathText(file) });

function twoPathPlan(operation, syscall, names, ...more) {
  return (from, to) => {
    const [path, dest] = [pathText(from, names[0]), pathText(to, names[1])];
    return call(operation, [path, dest, ...more], { syscall, path, dest });
  };
}

const textOf = (encoding) => (text) => (encoding === 'buffer' ? globalThis.Buffer.from(text) : text);

/** Plans by the name of the function; each takes what the function takes, without a callback. */
export const plans = {
  readFile(file, options) {
    const { encoding, flag = 'r' } = optionsOf(options);
    if (file === 0) return call('readFile', [undefined], { syscall: 'read' }, (bytes) => decoded(bytes, encoding));
    const path = pathText(file);
    const plan = call('readFile', [path], { syscall: 'open', path, reads: true }, (bytes) => decoded(bytes, encoding));
    if (!/^(r|rs|r\+|rs\+|a\+|w\+)$/.test(String(flag))) {
      throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'flags' is invalid. Received '${flag}'`);
    }
    return plan;
  },
  writeFile: (file, data, options) => writePlan(file, data, options, 'w'),
  appendFile: (file, data, options) => writePlan(file, data, options, 'a'),
  stat: (file, options) => statPlan(file, options, true),
  lstat: (file, options) => statPlan(file, options, false),
  access(file, mode = constants.F_OK) {
    return call('access', [pathText(file), mode], { syscall: 'access', path: pathText(file) });
  },
  readdir(directory, options) {
    const { withFileTypes = false, recursive = false, encoding } = optionsOf(options);
    const path = pathText(directory);
    return call('readDirectory', [path, Boolean(recursive)], { syscall: 'scandir', path }, (entries) =>
      entries.map(([parent, name, kind]) => {
        if (withFileTypes) return new Dirent(name, parent === '' ? path : `${path.replace(/\/$/, '')}/${parent}`, kind);
        return textOf(encoding)(parent === '' ? name : `${parent}/${name}`);
      }),
    );
  },
  mkdir(directory, options) {
    const { recursive = false, mode } = typeof options === 'object' ? optionsOf(options) : { mode: options };
    const path = pathText(directory);
    return call('makeDirectory', [path, Boolean(recursive), modeOf(mode, 0o777)], { syscall: 'mkdir', path }, (first) => first ?? undefined);
  },
  mkdtemp(prefix, options) {
    const { encoding } = optionsOf(options);
    const path = pathText(prefix, 'prefix');
    return call('makeTemporaryDirectory', [path], { syscall: 'mkdtemp', path: `${path}XXXXXX` }, textOf(encoding));
  },
  rm(target, options) {
    const { recursive = false, force = false } = optionsOf(options);
    const path = pathText(target);
    return call('remove', [path, Boolean(recursive), Boolean(force)], { syscall: 'rm', path });
  },
  rmdir(directory, options) {
    const { recursive = false } = optionsOf(options);
    const path = pathText(directory);
    if (recursive) return call('remove', [path, true, false], { syscall: 'rmdir', path });
    return call('removeDirectory', [path], { syscall: 'rmdir', path });
  },
  unlink: plainPlan('unlink', 'unlink'),
  rename: twoPathPlan('rename', 'rename', ['oldPath', 'newPath']),
  copyFile(from, to, mode = 0) {
    const exclusive = (mode & constants.COPYFILE_EXCL) !== 0;
    return twoPathPlan('copyFile', 'copyfile', ['src', 'dest'], exclusive)(from, to);
  },
  cp(from, to, options) {
    const { recursive = false, force = true, errorOnExist = false } = optionsOf(options);
    return twoPathPlan('copyTree', 'cp', ['src', 'dest'], Boolean(recursive), Boolean(force), Boolean(errorOnExist))(from, to);
  },
  realpath(file, options) {
    const { encoding } = optionsOf(options);
    return call('realPath', [pathText(file)], { syscall: 'realpath', path: pathText(file) }, textOf(encoding));
  },
  readlink(file, options) {
    const { encoding } = optionsOf(options);
    return call('readLink', [pathText(file)], { syscall: 'readlink', path: pathText(file) }, textOf(encoding));
  },
  symlink: twoPathPlan('symbolicLink', 'symlink', ['target', 'path']),
  link: twoPathPlan('hardLink', 'link', ['existingPath', 'newPath']),
  chmod: (file, mode) => call('changeMode', [pathText(file), modeOf(mode)], { syscall: 'chmod', path: pathText(file) }),
  utimes: (file, accessed, modified) =>
    call('setTimes', [pathText(file), milliseconds(accessed), milliseconds(modified)], { syscall: 'utime', path: pathText(file) }),
  truncate: (file, length = 0) =>
    call('truncate', [pathText(file), typeof length === 'number' ? length : 0], { syscall: 'open', path: pathText(file) }),
};
