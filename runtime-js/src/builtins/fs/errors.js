// Node's errors for failed file operations.
import { nodeError } from '../shared/errors.js';

/** Makes an error from the native result `{code, number, text}`. */
export function systemError({ code, number, text }, { syscall, path, dest, reads = false }) {
  if (code === 'ERR_FS_EISDIR') return commandError(code, 'Path is a directory', { syscall: syscall === 'lstat' ? 'rm' : syscall, code: 'EISDIR', message: 'is a directory', path, errno: number });
  // Opening a directory succeeds; reading it fails, and that error names no path.
  if (code === 'EISDIR' && reads) [syscall, path] = ['read', undefined];
  const at = path === undefined ? '' : ` '${path}'`;
  const error = new Error(`${code}: ${text}, ${syscall}${at}${dest === undefined ? '' : ` -> '${dest}'`}`);
  Object.assign(error, { errno: -number, code, syscall });
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  return error;
}

/** Node's `SystemError` of `fs.cp` and `fs.rm`, which check before calling the system. */
export function commandError(code, prefix, info) {
  const { syscall, code: reason, message, path, dest, errno } = info;
  const target = `${path === undefined ? '' : ` ${path}`}${dest === undefined ? '' : ` => ${dest}`}`;
  const error = nodeError(Error, code, `${prefix}: ${syscall} returned ${reason} (${message})${target}`);
  Object.defineProperty(error, 'name', { value: 'SystemError', writable: true, configurable: true });
  error.stack = error.stack.replace(/^Error/, 'SystemError');
  Object.defineProperty(error, 'info', { value: info, enumerable: true, configurable: true });
  Object.assign(error, { errno, syscall });
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  return error;
}
