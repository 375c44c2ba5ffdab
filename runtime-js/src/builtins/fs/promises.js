// `fs.promises`.
import { importBuiltin } from 'lmthing:internal/native/modules';
import { notOffered } from '../shared/errors.js';
import { abortError } from './arguments.js';
import { constants } from './constants.js';
import { cp } from './copy.js';
import { opendir } from './directory.js';
import { openHandle } from './file-handle.js';
import { plans, realpathNative } from './operations.js';
import { runAsync } from './run.js';
import { watchPromise } from './watch.js';

/** Names a function for stack traces, which show which call in a line failed. */
const named = (name, run) => Object.defineProperty(run, 'name', { value: name });

/** Also rejects for wrong arguments, like an async function. */
const promised = (name, plan) => named(name, async (...values) => runAsync(plan(...values)));

const simple = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, promised(name, plan)]));

/** A signal that fires after the start does not interrupt the operation. */
const abortable = (name, run) =>
  named(name, async (...values) => {
    const { signal } = values.at(-1) ?? {};
    if (typeof signal?.addEventListener !== 'function') return run(...values);
    if (signal.aborted) throw abortError(signal);
    let onAbort;
    const aborted = new Promise((_, reject) => {
      onAbort = () => reject(abortError(signal));
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([run(...values), aborted]);
    } finally {
      // A signal may outlive many operations.
      signal.removeEventListener('abort', onAbort);
    }
  });

function partBytes(part, encoding) {
  const { Buffer } = globalThis;
  return ArrayBuffer.isView(part) ? Buffer.from(part.buffer, part.byteOffset, part.byteLength) : Buffer.from(part, encoding ?? 'utf8');
}

/** `data` may be an iterable or async iterable, such as a stream. No further part is taken after an abort. */
const gathering = (name, write) => named(name, async (file, data, options) => {
  const isParts = typeof data === 'object' && data !== null && !ArrayBuffer.isView(data);
  if (!isParts || !(data[Symbol.asyncIterator] || data[Symbol.iterator])) return write(file, data, options);
  const { encoding, signal } = typeof options === 'string' ? { encoding: options } : (options ?? {});
  const parts = [];
  for await (const part of data) {
    if (signal?.aborted) throw abortError(signal);
    parts.push(partBytes(part, encoding));
  }
  return write(file, globalThis.Buffer.concat(parts), options);
});

export const promises = {
  ...simple,
  readFile: abortable('readFile', simple.readFile),
  writeFile: gathering('writeFile', abortable('writeFile', simple.writeFile)),
  appendFile: gathering('appendFile', simple.appendFile),
  realpath: promised('realpath', realpathNative),
  cp,
  glob: (patterns, options) => importBuiltin('lmthing:internal/fs-glob').glob(patterns, options),
  lchmod: notOffered('fs.promises.lchmod', 'only macOS has it'),
  open: openHandle,
  opendir,
  watch: watchPromise,
  constants,
};
