import { posix as path } from 'lmthing:internal/paths';

export const { basename, delimiter, dirname, extname, format, isAbsolute, join, matchesGlob, normalize, parse, relative, resolve, sep, toNamespacedPath } = path;
export const { posix, win32 } = path;
export default path;
