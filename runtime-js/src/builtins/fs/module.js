// All variants of the `fs` functions: `name` with a callback, `nameSync`, and `promises`.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { invalidArgumentType, notOffered } from '../shared/errors.js';
import { constants } from './constants.js';
import { cp, cpSync } from './copy.js';
import { descriptorPlans, readPlan, readvPlan, writePlan, writevPlan } from './descriptors.js';
import { Dir, opendir, opendirSync } from './directory.js';
import { BigIntStats, Dirent, Stats } from './entries.js';
import { plans, realpathNative } from './operations.js';
import { promises } from './promises.js';
import { runAsync, runSync } from './run.js';
import { defaults, ReadStream, WriteStream } from './streams.js';
import { FSWatcher, unwatchFile, watch, watchFile } from './watch.js';

const PROMISIFIED = Symbol.for('nodejs.util.promisify.custom');

function takeCallback(values) {
  // The first argument is never the callback.
  const callback = values.length > 1 ? values.pop() : undefined;
  if (typeof callback !== 'function') throw invalidArgumentType('cb', 'of type function', callback);
  return callback;
}

/** An exception in the callback is an uncaught exception, not a rejection. */
const tell = (promise, callback, ...more) => {
  const later = (...result) => setImmediate(() => callback(...result));
  promise.then((value) => (value === undefined && more.length === 0 ? later(null) : later(null, value, ...more)), (error) => later(error));
};

/** Wrong arguments throw synchronously; other errors go to the callback. */
function withCallback(plan) {
  return (...values) => {
    const callback = takeCallback(values);
    tell(runAsync(plan(...values)), callback);
  };
}

/** Functions on buffers report the number of bytes and the buffer. */
function bufferFaces(name, plan, result) {
  const asynchronous = (...values) => {
    const callback = takeCallback(values);
    const planned = plan(...values);
    tell(runAsync(planned.plan), callback, planned.buffer);
  };
  const promised = async (...values) => {
    const planned = plan(...values);
    return { [result]: await runAsync(planned.plan), [name.endsWith('v') ? 'buffers' : 'buffer']: planned.buffer };
  };
  Object.defineProperty(asynchronous, PROMISIFIED, { value: promised, configurable: true });
  fs[name] = asynchronous;
  fs[`${name}Sync`] = (...values) => runSync(plan(...values).plan);
}

const fromPromise = (run) => (...values) => {
  const callback = takeCallback(values);
  tell(run(...values), callback);
};

function existsSync(path) {
  try {
    runSync(plans.access(path));
    return true;
  } catch {
    return false;
  }
}

function exists(path, callback) {
  if (typeof callback !== 'function') throw invalidArgumentType('cb', 'of type function', callback);
  const planned = async () => runAsync(plans.access(path));
  const answer = (value) => setImmediate(() => callback(value));
  planned().then(() => answer(true), () => answer(false));
}
Object.defineProperty(exists, PROMISIFIED, { value: async (path) => existsSync(path), configurable: true });

function glob(...values) {
  const callback = takeCallback(values);
  const [patterns, options] = values;
  const all = async () => {
    const found = [];
    for await (const name of promises.glob(patterns, options)) found.push(name);
    return found;
  };
  tell(all(), callback);
}

async function openAsBlob(path, { type = '' } = {}) {
  return new Blob([await promises.readFile(path)], { type });
}

const createReadStream = (path, options) => new ReadStream(path, options);
const createWriteStream = (path, options) => new WriteStream(path, options);

export const fs = {
  BigIntStats, constants, cp: fromPromise(cp), cpSync, createReadStream, createWriteStream, Dir, Dirent, exists, existsSync, FSWatcher, glob,
  globSync: (patterns, options) => importBuiltin('lmthing:internal/fs-glob').globSync(patterns, options),
  openAsBlob, opendir: fromPromise(opendir), opendirSync, promises, ReadStream, FileReadStream: ReadStream, Stats, unwatchFile, watch, watchFile, WriteStream, FileWriteStream: WriteStream,
};
for (const name of ['F_OK', 'R_OK', 'W_OK', 'X_OK']) fs[name] = constants[name];
for (const [name, plan] of Object.entries({ ...plans, ...descriptorPlans })) {
  fs[name] = withCallback(plan);
  fs[`${name}Sync`] = (...values) => runSync(plan(...values));
}
bufferFaces('read', readPlan, 'bytesRead');
bufferFaces('readv', readvPlan, 'bytesRead');
bufferFaces('write', writePlan, 'bytesWritten');
bufferFaces('writev', writevPlan, 'bytesWritten');
// The callback of `close` is optional.
const { close } = fs;
fs.close = (fd, callback = (error) => { if (error) throw error; }) => close(fd, callback);
for (const name of ['lchmod', 'lchmodSync']) fs[name] = notOffered(`fs.${name}`, 'only macOS has it');
fs.realpath.native = withCallback(realpathNative);
fs.realpathSync.native = (...values) => runSync(realpathNative(...values));
for (const [name, value] of Object.entries(fs)) {
  if (typeof value === 'function' && value.name !== name && !value.prototype) Object.defineProperty(value, 'name', { value: name, configurable: true });
}
defaults.fs = fs;
export { promises };
