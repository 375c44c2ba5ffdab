// Reading and writing snapshot files: all at once, and without the whole of `node:fs`.
import * as native from 'lmthing:internal/native/fs';
import { constants } from '../../../fs/constants.js';

const { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

function outcome({ code, text, value }, what, path) {
  if (code === undefined) return value;
  throw Object.assign(new Error(`cannot ${what} ${path}: ${text}`), { code });
}

const directoryOf = (path) => path.slice(0, path.lastIndexOf('/') + 1) || './';

/** The text of a file; undefined when there is none. */
export function read(path) {
  const answer = native.readFile([path, O_RDONLY]);
  if (answer.code === 'ENOENT' || answer.code === 'ENOTDIR') return undefined;
  return new TextDecoder().decode(outcome(answer, 'read', path));
}

/** Writes a file, and makes its folder. */
export function write(path, text) {
  outcome(native.makeDirectory([directoryOf(path), true, 0o777]), 'make the folder of', path);
  outcome(native.writeFile([path, new TextEncoder().encode(text), O_WRONLY | O_CREAT | O_TRUNC, 0o666]), 'write', path);
}

/** Removes a file. */
export const remove = (path) => outcome(native.unlink([path]), 'remove', path);

/** A path that counts from the folder of `file`. */
export const from = (file, path) => (path.startsWith('/') ? path : `${directoryOf(file)}${path}`);
