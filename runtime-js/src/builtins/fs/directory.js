// `fs.Dir`.
import { invalidArgumentType, nodeError } from '../shared/errors.js';
import { optionsOf, pathText } from './arguments.js';
import { plans } from './operations.js';
import { runAsync, runSync } from './run.js';

const closedError = () => nodeError(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed');

export class Dir {
  #path;
  #entries;
  #closed = false;

  constructor(path, entries) {
    this.#path = path;
    this.#entries = entries;
  }

  get path() {
    return this.#path;
  }

  readSync() {
    if (this.#closed) throw closedError();
    return this.#entries.shift() ?? null;
  }

  read(callback) {
    if (callback === undefined) return (async () => this.readSync())();
    if (typeof callback !== 'function') throw invalidArgumentType('callback', 'of type function', callback);
    const entry = this.readSync();
    setImmediate(callback, null, entry);
    return undefined;
  }

  closeSync() {
    if (this.#closed) throw closedError();
    this.#closed = true;
  }

  close(callback) {
    if (callback === undefined) return (async () => this.closeSync())();
    if (typeof callback !== 'function') throw invalidArgumentType('callback', 'of type function', callback);
    this.closeSync();
    setImmediate(callback, null);
    return undefined;
  }

  async *entries() {
    try {
      for (let entry = this.readSync(); entry !== null; entry = this.readSync()) yield entry;
    } finally {
      if (!this.#closed) this.closeSync();
    }
  }
}
Object.defineProperty(Dir.prototype, Symbol.asyncIterator, { value: Dir.prototype.entries, writable: true, configurable: true });
if (Symbol.asyncDispose) {
  Object.defineProperty(Dir.prototype, Symbol.asyncDispose, {
    async value() {
      await this.close();
    },
    writable: true,
    configurable: true,
  });
}

function opendirPlan(directory, given) {
  const { recursive, encoding } = optionsOf(given);
  const path = pathText(directory);
  const plan = plans.readdir(path, { recursive, encoding, withFileTypes: true });
  const { finish } = plan;
  return { ...plan, errorDetails: { syscall: 'opendir', path }, finish: (entries) => new Dir(path, finish(entries)) };
}

/** Its errors name no path, unlike those of `opendir`. */
export const opendirSync = (directory, options) => runSync({ ...opendirPlan(directory, options), errorDetails: { syscall: 'opendir' } });
export const opendir = async (directory, options) => runAsync(opendirPlan(directory, options));
