// The snapshots of the test file: what is kept of them, what tests make of them, and what is written in the end.
import { settings } from 'lmthing:internal/testing/state';
import { read, remove, write } from './files.js';
import { bare, parse, print, serialized } from './format.js';

const path = settings?.snapshots;
const isWritten = settings && (settings.update || !settings.isCi);

let kept;
let before;
/** Keys nothing has asked for yet. */
let unasked;
/** What became of each key or place: matched, unmatched, written, updated. */
const fates = new Map();
/** How many snapshots were asked for under each name; tests may have the same. */
const counts = new Map();
/** What the running attempt has asked for, and what it has written: both are forgotten when the test is tried again. */
let asked = [];
let fresh = [];

function load() {
  if (kept) return;
  const text = read(path);
  kept = text === undefined ? new Map() : parse(text, path);
  before = new Map(kept);
  unasked = new Set(kept.keys());
}

/** Begins an attempt at a test. */
export function beginAttempt(test) {
  // Counting begins anew, for repetitions too; these are compared with what the first has written.
  if (test.attempt > 0) asked.forEach((name) => counts.set(name, counts.get(name) - 1));
  if (test.isRetry) {
    for (const key of fresh) {
      if (before.has(key)) kept.set(key, before.get(key));
      else kept.delete(key);
      fates.delete(key);
    }
  }
  asked = [];
  fresh = [];
}

/** The key of the next snapshot of a test: its name, the hint, and how many it is. */
export function nextKey(task, hint) {
  const name = hint === undefined ? task.name : `${task.name} > ${hint}`;
  asked.push(name);
  counts.set(name, (counts.get(name) ?? 0) + 1);
  return `${name} ${counts.get(name)}`;
}

/** Notes what became of a snapshot; that it was written or updated stays. */
export function note(key, fate) {
  if (fate === 'unmatched' || !['written', 'updated'].includes(fates.get(key))) fates.set(key, fate);
}

/** Marks the snapshot as asked for. */
export function ask(key) {
  load();
  unasked.delete(key);
}

/** Compares a value with what is kept; gives the difference, if there is one that is not to be written. */
export function compare(key, value) {
  ask(key);
  const received = serialized(value);
  const expected = kept.get(key);
  const isSame = expected?.trim() === received.trim();
  if (isSame || (isWritten && (expected === undefined || settings.update))) {
    if (!isSame) fresh.push(key);
    note(key, isSame ? 'matched' : expected === undefined ? 'written' : 'updated');
    // What matches is written anew too: a file made by hand may quote it otherwise.
    kept.set(key, received);
    return undefined;
  }
  note(key, 'unmatched');
  return { actual: bare(received), expected: expected === undefined ? undefined : bare(expected) };
}

const isOf = (key, name) => key.startsWith(name) && /^( > .*)? \d+$/s.test(key.slice(name.length));

/** Ends the file. */
export function endFile({ allRan, unfinished = [] }) {
  if (!kept && allRan && settings.hasSnapshots) load();
  const sums = { matched: 0, unmatched: 0, written: 0, updated: 0, removed: 0, obsolete: 0 };
  for (const fate of fates.values()) sums[fate]++;
  const notes = [];
  if (!kept) return { snapshots: sums, notes };
  const obsolete = allRan ? [...unasked].filter((key) => !unfinished.some((name) => isOf(key, name))) : [];
  if (settings.update) {
    sums.removed = obsolete.length;
    obsolete.forEach((key) => kept.delete(key));
  } else if (obsolete.length > 0) {
    sums.obsolete = obsolete.length;
    notes.push(
      `${obsolete.length === 1 ? 'an obsolete snapshot' : `${obsolete.length} obsolete snapshots`}, which --update removes: ${obsolete.join(', ')}`,
    );
  }
  if (sums.removed > 0 || [...fates].some(([key, fate]) => kept.has(key) && fate !== 'matched' && fate !== 'unmatched')) save();
  return { snapshots: sums, notes };
}

function save() {
  if (kept.size > 0) write(path, print(kept));
  else if (before.size > 0) remove(path);
}
