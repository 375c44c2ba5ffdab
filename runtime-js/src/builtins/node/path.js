// `node:path`: Node's own algorithms, from npm.
import posix from 'node:path/posix';
import win32 from 'node:path/win32';

const path = process.platform === 'win32' ? win32 : posix;

export const { basename, delimiter, dirname, extname, format, isAbsolute, join, matchesGlob, normalize, parse, relative, resolve, sep, toNamespacedPath } = path;
export { posix, win32 };
export default path;
