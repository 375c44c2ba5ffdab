// `fs.glob`: a directory walk as a generator of plans and results, for all variants of the function.
import { GLOBSTAR, Minimatch } from 'minimatch';
import * as path from 'node:path';
import { invalidArgumentType } from '../shared/errors.js';
import { Dirent } from './entries.js';
import { plans } from './operations.js';
import { runAsync, runSync } from './run.js';

const MATCHING = { nonegate: true, nocomment: true, windowsPathsNoEscape: true, nocaseMagicOnly: true, nocase: process.platform === 'darwin' || process.platform === 'win32' };

const DIRECTORY_PLACE = { ENOENT: [], ENOTDIR: [], EACCES: [] };

const fits = (part, name) => (typeof part === 'string' ? part === name : part.test(name));
const isHidden = (name) => name.startsWith('.');

class Walk {
  #cwd;
  #withFileTypes;
  #excludes;
  #seen = new Set();

  constructor({ cwd, withFileTypes, exclude }) {
    this.#cwd = path.resolve(cwd === undefined ? '.' : cwd instanceof URL ? decodeURIComponent(cwd.pathname) : cwd);
    this.#withFileTypes = Boolean(withFileTypes);
    this.#excludes = excluder(exclude, this.#withFileTypes);
  }

  /** Yields the matches of one alternative of a pattern, a list of parts, below `place`. */
  *find(place, parts) {
    const index = parts.findIndex((part) => typeof part !== 'string');
    if (index < 0) return yield* this.#found(path.join(place, ...parts));
    const directory = path.join(place, ...parts.slice(0, index)) || '.';
    if (parts[0] === '' && index > 0) return yield* this.#below(`/${path.join(...parts.slice(1, index))}`.replace(/\/\.$/, '/'), parts.slice(index));
    return yield* this.#below(index === 0 ? place : directory, parts.slice(index));
  }

  *#below(directory, [part, ...rest]) {
    const isGlobstar = part === GLOBSTAR;
    if (isGlobstar && rest.length === 0) {
      if (directory !== '') yield* this.#found(directory);
    } else if (isGlobstar) yield* this.find(directory, rest);
    const plan = plans.readdir(path.resolve(this.#cwd, directory), { withFileTypes: true });
    plan.recover = DIRECTORY_PLACE;
    for (const entry of yield plan) {
      const name = path.join(directory, entry.name);
      if (isGlobstar) {
        if (isHidden(entry.name) || this.#excludes(name, entry)) continue;
        if (entry.isDirectory()) yield* this.#below(name, [part, ...rest]);
        else if (rest.length === 0) yield* this.#found(name, entry);
      } else if (fits(part, entry.name) && !this.#excludes(name, entry)) {
        if (rest.length === 0) yield* this.#found(name, entry);
        else if (entry.isDirectory() || entry.isSymbolicLink()) yield* this.find(name, rest);
      }
    }
  }

  *#found(name, entry) {
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    if (!entry) {
      const full = path.resolve(this.#cwd, name);
      const plan = plans.lstat(full, {});
      plan.recover = { ENOENT: undefined, ENOTDIR: undefined, EACCES: undefined };
      const stats = yield plan;
      if (!stats || (name.endsWith('/') && !stats.isDirectory())) return;
      const kind = stats.isDirectory() ? 2 : stats.isFile() ? 1 : stats.isSymbolicLink() ? 3 : 0;
      entry = new Dirent(path.basename(full), path.dirname(full), kind);
      if (this.#excludes(name, entry)) return;
    }
    yield { result: this.#withFileTypes ? entry : name };
  }
}

function excluder(exclude, withFileTypes) {
  if (exclude === undefined || exclude === null) return () => false;
  if (typeof exclude === 'function') return (name, entry) => Boolean(exclude(withFileTypes ? entry : name));
  if (!Array.isArray(exclude)) throw invalidArgumentType('options.exclude', 'of type function or an instance of Array', exclude);
  const matchers = exclude.map((pattern) => new Minimatch(path.normalize(pattern), { ...MATCHING, dot: true }));
  return (name) => matchers.some((matcher) => matcher.match(name));
}

function* walk(patterns, options = {}) {
  const list = Array.isArray(patterns) ? patterns : [patterns];
  const wrong = list.find((pattern) => typeof pattern !== 'string');
  if (wrong !== undefined || list.length === 0) throw invalidArgumentType('patterns', 'of type string or an instance of Array', wrong);
  const course = new Walk(options);
  for (const pattern of list) {
    for (const parts of new Minimatch(pattern.startsWith('./') ? path.normalize(pattern) : pattern, MATCHING).set) yield* course.find('', parts);
  }
}

export function globSync(patterns, options) {
  const found = [];
  const course = walk(patterns, options);
  for (let step = course.next(); !step.done; ) {
    const { value } = step;
    if ('result' in value) found.push(value.result);
    step = course.next('result' in value ? undefined : runSync(value));
  }
  return found;
}

export async function* glob(patterns, options) {
  const course = walk(patterns, options);
  for (let step = course.next(); !step.done; ) {
    const { value } = step;
    if ('result' in value) yield value.result;
    step = course.next('result' in value ? undefined : await runAsync(value));
  }
}
