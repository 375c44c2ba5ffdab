// The two flavours of paths, each knowing both, as in Node.
import { posix as posixFunctions, win32 as win32Functions } from 'path-unified';
import { notOffered } from './errors.js';

const matchesGlob = notOffered('path.matchesGlob');

export const posix = { ...posixFunctions, matchesGlob };
export const win32 = { ...win32Functions, matchesGlob };
delete posix.default;
delete win32.default;
for (const path of [posix, win32]) Object.assign(path, { posix, win32, _makeLong: path.toNamespacedPath });
