// `fs` in all its faces: `name` with a callback, `nameSync`, and `promises`.
import { invalidArgumentType, notOffered } from '../shared/errors.js';
import { pathText } from './arguments.js';
import { constants } from './constants.js';
import { BigIntStats, Dirent, Stats } from './entries.js';
import { plans, runAsync, runSync } from './operations.js';
import { promises } from './promises.js';

/** Wrong arguments throw at once; everything else is told to the callback. */
function withCallback(plan) {
  return (...values) => {
    const callback = values.pop();
    if (typeof callback !== 'function') throw invalidArgumentType('cb', 'of type function', callback);
    // An exception in the callback is the program's uncaught exception, not a rejection of ours.
    const later = (...result) => setImmediate(() => callback(...result));
    runAsync(plan(...values)).then((value) => (value === undefined ? later(null) : later(null, value)), later);
  };
}

function existsSync(path) {
  try {
    runSync(plans.access(path));
    return true;
  } catch {
    return false;
  }
}

function exists(path, callback) {
  runAsync(plans.access(pathText(path))).then(() => callback(true), () => callback(false));
}

const MISSING = {
  createReadStream: 'use readFile, or fetch a stream',
  createWriteStream: 'use writeFile or appendFile',
  watch: '',
  watchFile: '',
  unwatchFile: '',
};
for (const name of ['open', 'close', 'read', 'write', 'fstat', 'fsync']) {
  MISSING[name] = MISSING[`${name}Sync`] = 'use readFile, writeFile or appendFile';
}
for (const name of ['chown', 'opendir']) MISSING[name] = MISSING[`${name}Sync`] = '';

export const fs = { BigIntStats, constants, Dirent, exists, existsSync, promises, Stats };
for (const name of ['F_OK', 'R_OK', 'W_OK', 'X_OK']) fs[name] = constants[name];
for (const [name, plan] of Object.entries(plans)) {
  fs[name] = withCallback(plan);
  fs[`${name}Sync`] = (...values) => runSync(plan(...values));
}
for (const [name, instead] of Object.entries(MISSING)) fs[name] = notOffered(`fs.${name}`, instead);
// Node's variants by the operating system's own resolver.
fs.realpath.native = fs.realpath;
fs.realpathSync.native = fs.realpathSync;
export { promises };
