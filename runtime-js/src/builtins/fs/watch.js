// `fs.watch` (change notifications) and `fs.watchFile` (polling).
import { EventEmitter } from 'node:events';
import { watch as watchNative } from 'lmthing:internal/native/fs-watch';
import { createLoopHandle } from 'lmthing:internal/native/alive';
import { invalidArgumentType } from '../shared/errors.js';
import { guarded } from '../shared/guarded.js';
import { abortError, optionsOf, pathText } from './arguments.js';
import { Stats, BigIntStats } from './entries.js';
import { systemError } from './errors.js';
import { plans } from './operations.js';
import { runAsync } from './run.js';

function startNative(path, recursive) {
  const outcome = watchNative(path, recursive);
  if (!outcome.code) return outcome.value;
  throw Object.assign(systemError(outcome, { syscall: 'watch', path }), { filename: path });
}

export class FSWatcher extends EventEmitter {
  #native;
  #loopHandle = createLoopHandle();

  constructor(path, { persistent = true, recursive = false, encoding } = {}) {
    super();
    this.#native = startNative(path, Boolean(recursive));
    this.#loopHandle.setReferenced(Boolean(persistent));
    this.#loopHandle.setActive(true);
    this.#listen(encoding);
  }

  async #listen(encoding) {
    const native = this.#native;
    for (let change = await native.next(); change && this.#native; change = await native.next()) {
      const [kind, name] = change;
      guarded(() => this.emit('change', kind, encoding === 'buffer' ? Buffer.from(name) : name));
    }
  }

  close() {
    if (!this.#native) return;
    this.#native.close();
    this.#native = undefined;
    this.#loopHandle.setActive(false);
    process.nextTick(() => this.emit('close'));
  }

  ref() {
    this.#loopHandle.setReferenced(true);
    return this;
  }

  unref() {
    this.#loopHandle.setReferenced(false);
    return this;
  }
}

function closeBy(watcher, signal) {
  const close = () => watcher.close();
  if (signal.aborted) {
    process.nextTick(close);
    return;
  }
  signal.addEventListener('abort', close, { once: true });
  watcher.once('close', () => signal.removeEventListener('abort', close));
}

export function watch(filename, given, callback) {
  const listener = typeof given === 'function' ? given : callback;
  const options = optionsOf(given);
  const watcher = new FSWatcher(pathText(filename), options);
  if (listener) watcher.on('change', listener);
  if (options.signal) closeBy(watcher, options.signal);
  return watcher;
}

/** `fs.promises.watch`: an async iterator of `{eventType, filename}`, until `signal` ends it. */
export async function* watchPromise(filename, given) {
  const { recursive = false, persistent = true, encoding, signal } = optionsOf(given);
  const native = startNative(pathText(filename), Boolean(recursive));
  const keep = createLoopHandle();
  keep.setActive(Boolean(persistent));
  const close = () => native.close();
  signal?.addEventListener('abort', close, { once: true });
  try {
    for (let change = await native.next(); change; change = await native.next()) {
      if (signal?.aborted) break;
      const [eventType, name] = change;
      yield { eventType, filename: encoding === 'buffer' ? Buffer.from(name) : name };
    }
    if (signal?.aborted) throw abortError(signal);
  } finally {
    signal?.removeEventListener('abort', close);
    close();
    keep.setActive(false);
  }
}

const INTERVAL = 5007;
const NOTHING = new Array(18).fill(0);

export class StatWatcher extends EventEmitter {
  #timer;

  constructor(path, { bigint = false, persistent = true, interval = INTERVAL }) {
    super();
    const nothing = bigint ? new BigIntStats(NOTHING) : new Stats(NOTHING);
    const look = async () => {
      const plan = plans.stat(path, { bigint });
      return runAsync(plan).catch(() => nothing);
    };
    let before;
    const compare = async () => {
      const now = await look();
      if (!this.#timer) return;
      const changed = before && ['mtimeMs', 'ctimeMs', 'size', 'ino', 'mode'].some((name) => before[name] !== now[name]);
      const previous = before ?? now;
      const first = before === undefined;
      before = now;
      // A file that does not exist at the start is reported immediately, as in Node.
      if (changed || (first && now === nothing)) guarded(() => this.emit('change', now, previous));
    };
    this.#timer = setInterval(compare, interval);
    if (!persistent) this.#timer.unref();
    compare();
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    process.nextTick(() => this.emit('stop'));
  }

  ref() {
    this.#timer?.ref();
    return this;
  }

  unref() {
    this.#timer?.unref();
    return this;
  }
}

/** Listeners of one path share a watcher. */
const statWatchers = new Map();

export function watchFile(filename, given, callback) {
  const listener = typeof given === 'function' ? given : callback;
  const path = pathText(filename);
  if (typeof listener !== 'function') throw invalidArgumentType('listener', 'of type function', listener);
  let watcher = statWatchers.get(path);
  if (!watcher) statWatchers.set(path, (watcher = new StatWatcher(path, typeof given === 'object' && given ? given : {})));
  watcher.on('change', listener);
  return watcher;
}

export function unwatchFile(filename, listener) {
  const path = pathText(filename);
  const watcher = statWatchers.get(path);
  if (!watcher) return;
  if (typeof listener === 'function') watcher.removeListener('change', listener);
  else watcher.removeAllListeners('change');
  if (watcher.listenerCount('change') > 0) return;
  watcher.stop();
  statWatchers.delete(path);
}
