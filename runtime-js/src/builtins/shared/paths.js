// The POSIX and Windows variants of `node:path`, each with a reference to the other.
import { posix as posixFunctions, win32 as win32Functions } from 'path-unified';
import { invalidArgumentType, notOffered } from './errors.js';

const matchesGlob = notOffered('path.matchesGlob');

const ONE = ['path'];
/** Node's names of the string arguments. */
const ARGUMENTS = { basename: ONE, dirname: ONE, extname: ONE, isAbsolute: ONE, normalize: ONE, parse: ONE, relative: ['from', 'to'] };

/** Throws Node's errors for arguments that are no strings; the package's differ. */
function checked(name, run) {
  return (...values) => {
    const names = ARGUMENTS[name] ?? values.map((_, index) => (name === 'resolve' ? `paths[${index}]` : 'path'));
    const wrong = names.findIndex((_, index) => typeof values[index] !== 'string');
    if (wrong >= 0) throw invalidArgumentType(names[wrong], 'of type string', values[wrong]);
    const [, suffix] = values;
    const isBadSuffix = name === 'basename' && suffix !== undefined && typeof suffix !== 'string';
    if (isBadSuffix) throw invalidArgumentType('suffix', 'of type string', suffix);
    return run(...values);
  };
}

function checkedFunctions(functions) {
  const names = [...Object.keys(ARGUMENTS), 'join', 'resolve'];
  const format = (parts) => {
    if (parts === null || typeof parts !== 'object') throw invalidArgumentType('pathObject', 'of type object', parts);
    return functions.format(parts);
  };
  return { ...functions, format, matchesGlob, ...Object.fromEntries(names.map((name) => [name, checked(name, functions[name])])) };
}

export const posix = checkedFunctions(posixFunctions);
export const win32 = checkedFunctions(win32Functions);
delete posix.default;
delete win32.default;
for (const path of [posix, win32]) Object.assign(path, { posix, win32, _makeLong: path.toNamespacedPath });
