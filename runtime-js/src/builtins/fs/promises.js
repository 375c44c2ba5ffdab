// The promise face of the file operations.
import { notOffered } from '../shared/errors.js';
import { constants } from './constants.js';
import { plans, runAsync } from './operations.js';

/** Rejects for wrong arguments as well, as an async function does. */
function promised(name, plan) {
  const run = async (...values) => runAsync(plan(...values));
  // Its name stands in stack traces, where it tells which call on a line failed.
  return Object.defineProperty(run, 'name', { value: name });
}

const simple = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, promised(name, plan)]));

/** Data may come in parts: an iterable or async iterable, such as a stream. */
const gathering = (write) => async (file, data, options) => {
  const isParts = typeof data === 'object' && data !== null && !ArrayBuffer.isView(data);
  if (!isParts || !(data[Symbol.asyncIterator] || data[Symbol.iterator])) return write(file, data, options);
  const parts = [];
  for await (const part of data) parts.push(typeof part === 'string' ? globalThis.Buffer.from(part) : part);
  return write(file, globalThis.Buffer.concat(parts), options);
};

/** The entries of a directory, one by one. */
async function opendir(directory, options) {
  const entries = await simple.readdir(directory, { ...options, withFileTypes: true });
  return {
    path: String(directory),
    read: async () => entries.shift() ?? null,
    close: async () => {},
    async *[Symbol.asyncIterator]() {
      while (entries.length > 0) yield entries.shift();
    },
  };
}

const missing = (name, instead) => {
  const refuse = notOffered(`fs.promises.${name}`, instead);
  return async () => refuse();
};

export const promises = {
  ...simple,
  writeFile: gathering(simple.writeFile),
  appendFile: gathering(simple.appendFile),
  opendir,
  constants,
  open: missing('open', 'use readFile, writeFile or appendFile'),
  watch: notOffered('fs.promises.watch'),
  statfs: missing('statfs'),
  lutimes: missing('lutimes', 'use utimes'),
  chown: missing('chown'),
  lchown: missing('lchown'),
};
