// `fs.cp`, as a generator that yields plans and filter calls; the caller runs them synchronously or asynchronously.
import * as path from 'node:path';
import { invalidArgumentType } from '../shared/errors.js';
import { optionsOf, pathText } from './arguments.js';
import { commandError } from './errors.js';
import { plans } from './operations.js';
import { runAsync, runSync } from './run.js';

const [EEXIST, ENOTDIR, EISDIR, EINVAL] = [17, 20, 21, 22];
const bigint = { bigint: true };

const problem = (code, prefix, reason, errno, message, where) => commandError(code, prefix, { message, ...where, syscall: 'cp', errno, code: reason });

/** The stats of `path`, or `undefined` if it does not exist. */
function* look(target, dereference) {
  const plan = (dereference ? plans.stat : plans.lstat)(target, bigint);
  plan.recover = { ENOENT: undefined };
  return yield plan;
}

function checkPair(source, target, from, to) {
  if (target && target.ino === source.ino && target.dev === source.dev) {
    throw problem('ERR_FS_CP_EINVAL', 'Invalid src or dest', 'EINVAL', EINVAL, 'src and dest cannot be the same', { path: to });
  }
  if (target && source.isDirectory() && !target.isDirectory()) {
    const message = `cannot overwrite non-directory ${to} with directory ${from}`;
    throw problem('ERR_FS_CP_DIR_TO_NON_DIR', 'Cannot overwrite non-directory with directory', 'EISDIR', EISDIR, message, { path: to });
  }
  if (target && !source.isDirectory() && target.isDirectory()) {
    const message = `cannot overwrite directory ${to} with non-directory ${from}`;
    throw problem('ERR_FS_CP_NON_DIR_TO_DIR', 'Cannot overwrite directory with non-directory', 'ENOTDIR', ENOTDIR, message, { path: to });
  }
  const inside = path.relative(path.resolve(from), path.resolve(to));
  if (source.isDirectory() && inside !== '' && !inside.startsWith('..') && !path.isAbsolute(inside)) {
    const message = `cannot copy ${from} to a subdirectory of self ${to}`;
    throw problem('ERR_FS_CP_EINVAL', 'Invalid src or dest', 'EINVAL', EINVAL, message, { path: to });
  }
}

function* copyEntry(from, to, options, isFirst) {
  const source = yield* look(from, options.dereference);
  if (!source) return yield plans[options.dereference ? 'stat' : 'lstat'](from);
  const target = yield* look(to, options.dereference);
  checkPair(source, target, from, to);
  if (options.filter && !(yield { ask: () => options.filter(from, to) })) return undefined;
  if (isFirst) yield plans.mkdir(path.dirname(path.resolve(to)), { recursive: true });
  if (source.isDirectory()) return yield* copyDirectory(source, target, from, to, options);
  if (source.isSymbolicLink()) return yield* copyLink(target, from, to, options);
  if (source.isFile() || source.isCharacterDevice() || source.isBlockDevice()) return yield* copyFile(source, target, from, to, options);
  const [code, what] = source.isSocket() ? ['ERR_FS_CP_SOCKET', 'a socket file'] : ['ERR_FS_CP_FIFO_PIPE', 'a FIFO pipe'];
  throw problem(code, `Cannot copy ${what}`, 'EINVAL', EINVAL, `cannot copy ${what}: ${to}`, { path: to });
}

function* copyDirectory(source, target, from, to, options) {
  if (!options.recursive) {
    throw problem('ERR_FS_EISDIR', 'Path is a directory', 'EISDIR', EISDIR, `${from} is a directory (not copied)`, { path: from });
  }
  if (!target) yield plans.mkdir(to);
  for (const name of yield plans.readdir(from)) yield* copyEntry(path.join(from, name), path.join(to, name), options, false);
  if (!target) yield plans.chmod(to, Number(source.mode & 0o7777n));
}

function exists(to, reason = `${to} already exists`) {
  return problem('ERR_FS_CP_EEXIST', 'Target already exists', 'EEXIST', EEXIST, reason, { path: to });
}

function* copyFile(source, target, from, to, options) {
  if (target) {
    if (!options.force) {
      if (options.errorOnExist) throw exists(to);
      return;
    }
    yield plans.unlink(to);
  }
  yield plans.copyFile(from, to, options.mode);
  if (options.preserveTimestamps) yield plans.utimes(to, Number(source.atimeMs) / 1000, Number(source.mtimeMs) / 1000);
}

function* copyLink(target, from, to, { verbatimSymlinks }) {
  let leadsTo = yield plans.readlink(from);
  if (!verbatimSymlinks && !path.isAbsolute(leadsTo)) leadsTo = path.resolve(path.dirname(from), leadsTo);
  if (target?.isSymbolicLink()) yield plans.unlink(to);
  yield plans.symlink(leadsTo, to);
}

function start(from, to, given) {
  const options = optionsOf(given, { dereference: false, errorOnExist: false, force: true, preserveTimestamps: false, recursive: false, verbatimSymlinks: false, mode: 0 });
  for (const name of ['dereference', 'errorOnExist', 'force', 'preserveTimestamps', 'recursive', 'verbatimSymlinks']) {
    if (typeof options[name] !== 'boolean') throw invalidArgumentType(`options.${name}`, 'of type boolean', options[name]);
  }
  if (options.filter !== undefined && typeof options.filter !== 'function') throw invalidArgumentType('options.filter', 'of type function', options.filter);
  return copyEntry(pathText(from, 'src'), pathText(to, 'dest'), options, true);
}

export function cpSync(from, to, options) {
  const course = start(from, to, options);
  for (let result = course.next(); !result.done; ) {
    const { value } = result;
    let answer;
    try {
      answer = value.ask ? value.ask() : runSync(value);
    } catch (error) {
      result = course.throw(error);
      continue;
    }
    result = course.next(answer);
  }
}

export async function cp(from, to, options) {
  const course = start(from, to, options);
  for (let result = course.next(); !result.done; ) {
    const { value } = result;
    let answer;
    try {
      answer = await (value.ask ? value.ask() : runAsync(value));
    } catch (error) {
      result = course.throw(error);
      continue;
    }
    result = course.next(answer);
  }
}
