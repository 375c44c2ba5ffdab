// Synchronous file access for snapshots, without loading `node:fs`.
import * as native from 'lmthing:internal/native/fs';
import { constants } from '../../../fs/constants.js';

const { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

function outcome({ code, text, value }, what, path) {
  if (code === undefined) return value;
  throw Object.assign(new Error(`cannot ${what} ${path}: ${text}`), { code });
}

const directoryOf = (path) => path.slice(0, path.lastIndexOf('/') + 1) || './';

/** Undefined if the file does not exist. */
export function read(path) {
  const answer = native.readFile([path, O_RDONLY]);
  if (answer.code === 'ENOENT' || answer.code === 'ENOTDIR') return undefined;
  return new TextDecoder().decode(outcome(answer, 'read', path));
}

/** Creates missing folders. */
export function write(path, text) {
  outcome(native.makeDirectory([directoryOf(path), true, 0o777]), 'make the folder of', path);
  outcome(native.writeFile([path, new TextEncoder().encode(text), O_WRONLY | O_CREAT | O_TRUNC, 0o666]), 'write', path);
}

export const remove = (path) => outcome(native.unlink([path]), 'remove', path);

/** Resolves a path against the folder of `file`. */
export const from = (file, path) => (path.startsWith('/') ? path : `${directoryOf(file)}${path}`);
