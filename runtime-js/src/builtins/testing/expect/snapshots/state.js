// Snapshots of the test file: stored ones, results of comparisons, and what to write at the end.
import { settings } from 'lmthing:internal/testing/state';
import { read, remove, write } from './files.js';
import { bare, parse, print, serialized } from './format.js';

const path = settings?.snapshots;
const isWritten = settings && (settings.update || !settings.isCi);

let stored;
let before;
/** Stored keys that no test has used yet. */
let unasked;
/** Result by key or location: matched, unmatched, written, updated. */
const outcomes = new Map();
/** Snapshots by test name; tests may share a name. */
const counts = new Map();
/** What the running attempt has used and written; undone when the test is retried. */
let asked = [];
let fresh = [];

function load() {
  if (stored) return;
  const text = read(path);
  stored = text === undefined ? new Map() : parse(text, path);
  before = new Map(stored);
  unasked = new Set(stored.keys());
}

/** Starts an attempt at a test. */
export function beginAttempt(test) {
  // Counting restarts, also for repetitions; these are compared with the snapshots of the first attempt.
  if (test.attempt > 0) asked.forEach((name) => counts.set(name, counts.get(name) - 1));
  if (test.isRetry) {
    for (const key of fresh) {
      if (before.has(key)) stored.set(key, before.get(key));
      else stored.delete(key);
      outcomes.delete(key);
    }
  }
  asked = [];
  fresh = [];
}

/** The key of the next snapshot: test name, hint and number. */
export function nextKey(task, hint) {
  const name = hint === undefined ? task.name : `${task.name} > ${hint}`;
  asked.push(name);
  counts.set(name, (counts.get(name) ?? 0) + 1);
  return `${name} ${counts.get(name)}`;
}

/** Records a result; written and updated are never overwritten. */
export function note(key, outcome) {
  if (outcome === 'unmatched' || !['written', 'updated'].includes(outcomes.get(key))) outcomes.set(key, outcome);
}

/** Marks the snapshot as used. */
export function ask(key) {
  load();
  unasked.delete(key);
}

/** Compares a value with its stored snapshot; returns a difference that is not to be written. */
export function compare(key, value) {
  ask(key);
  const received = serialized(value);
  const expected = stored.get(key);
  const isSame = expected?.trim() === received.trim();
  if (isSame || (isWritten && (expected === undefined || settings.update))) {
    if (!isSame) fresh.push(key);
    note(key, isSame ? 'matched' : expected === undefined ? 'written' : 'updated');
    // Matching snapshots are rewritten too, as a file edited by hand may quote differently.
    stored.set(key, received);
    return undefined;
  }
  note(key, 'unmatched');
  return { actual: bare(received), expected: expected === undefined ? undefined : bare(expected) };
}

const isOf = (key, name) => key.startsWith(name) && /^( > .*)? \d+$/s.test(key.slice(name.length));

/** Ends the file. */
export function endFile({ allRan, unfinished = [] }) {
  if (!stored && allRan && settings.hasSnapshots) load();
  const sums = { matched: 0, unmatched: 0, written: 0, updated: 0, removed: 0, obsolete: 0 };
  for (const outcome of outcomes.values()) sums[outcome]++;
  const notes = [];
  if (!stored) return { snapshots: sums, notes };
  const obsolete = allRan ? [...unasked].filter((key) => !unfinished.some((name) => isOf(key, name))) : [];
  if (settings.update) {
    sums.removed = obsolete.length;
    obsolete.forEach((key) => stored.delete(key));
  } else if (obsolete.length > 0) {
    sums.obsolete = obsolete.length;
    notes.push(
      `${obsolete.length === 1 ? 'an obsolete snapshot' : `${obsolete.length} obsolete snapshots`}, which --update removes: ${obsolete.join(', ')}`,
    );
  }
  if (sums.removed > 0 || [...outcomes].some(([key, outcome]) => stored.has(key) && outcome !== 'matched' && outcome !== 'unmatched')) save();
  return { snapshots: sums, notes };
}

function save() {
  if (stored.size > 0) write(path, print(stored));
  else if (before.size > 0) remove(path);
}
