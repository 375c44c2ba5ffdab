// `formatRange` of dates, after ICU's DateIntervalFormat: the locale's pattern for the largest differing field, or both
// ends in full.
import { fill } from './date-patterns.js';
import { plainSkeleton, tokenize } from './date-skeleton.js';
import { TYPES, dateParts, fieldsOf } from './date-writer.js';

/** Fields by size, and the letters of a difference in them. */
const DIFFERENCES = [
  ['G', ({ era }) => era], ['y', ({ year }) => year], ['M', ({ month }) => month], ['d', ({ day }) => day],
  ['a', ({ hour }) => hour < 12], ['h', ({ hour }) => hour], ['m', ({ minute }) => minute], ['s', ({ second }) => second],
  ['S', ({ millisecond }) => millisecond],
];
const DATE_LETTERS = 'GyMd';

/** The parts of a range, each with its `source`. */
export function dateRange(format, start, end) {
  return rangeOf(format, start, end) ?? dateParts(format, format.pattern, fieldsOf(format, start)).map((part) => ({ ...part, source: 'shared' }));
}

/** Whether both ends look the same. */
export const isOneTime = (format, start, end) => rangeOf(format, start, end) === undefined;

function rangeOf(format, start, end) {
  const [first, last] = [fieldsOf(format, start), fieldsOf(format, end)];
  const letter = DIFFERENCES.find(([, read]) => read(first) !== read(last))?.[0];
  if (letter === undefined) return undefined;
  const plan = planOf(format);
  const pattern = plan.patterns[letter];
  if (pattern !== undefined) return halves(format, pattern, first, last);
  if (isTooSmall(plan, letter)) return undefined;
  const isSameDay = !DATE_LETTERS.includes(letter);
  return inFull(format, plan, first, last, isSameDay);
}

/** Whether no shown field differs. */
function isTooSmall({ date, time }, letter) {
  if (time === '') {
    const smallest = date.includes('d') || /[Eec]/.test(date) ? 3 : /[ML]/.test(date) ? 2 : date.includes('y') ? 1 : 0;
    return !DATE_LETTERS.includes(letter) || DATE_LETTERS.indexOf(letter) > smallest;
  }
  if (DATE_LETTERS.includes(letter)) return false;
  const smallest = ['S', 's', 'm'].find((field) => time.includes(field)) ?? 'h';
  const order = ['a', 'h', 'm', 's', 'S'];
  return order.indexOf(letter) > order.indexOf(smallest);
}

function inFull(format, { glue, timePattern, datePattern }, first, last, isSameDay) {
  const fallback = format.data.intervals.intervalFormatFallback;
  const separator = fallback.replace('{0}', '').replace('{1}', '');
  const write = (pattern, fields, source) => dateParts(format, pattern, fields).map((part) => ({ ...part, source }));
  const between = { type: 'literal', value: separator, source: 'shared' };
  const both = (pattern) => [...write(pattern, first, 'startRange'), between, ...write(pattern, last, 'endRange')];
  if (!isSameDay || timePattern === undefined || datePattern === undefined) return joined(both(format.pattern));
  return joined(glue.split(/(\{[01]\})/).filter(Boolean).flatMap((piece) => {
    if (piece === '{0}') return both(timePattern);
    if (piece === '{1}') return write(datePattern, first, 'shared');
    return write(piece, first, 'shared');
  }));
}

/** Both ends in one pattern: the second occurrence of a field starts the end. */
function halves(format, pattern, first, last) {
  const tokens = tokenize(pattern);
  const seen = new Set();
  const split = tokens.findIndex(({ letter }) => letter !== undefined && (seen.has(kind(letter)) || !seen.add(kind(letter))));
  const at = split < 0 ? tokens.length : split;
  const twice = new Set(tokens.slice(at).map(({ letter }) => letter && kind(letter)).filter((letter) => letter && tokens.slice(0, at).some((token) => token.letter && kind(token.letter) === letter)));
  const write = (half, fields) => half.map((token) => dateParts(format, token.text ?? `'${token.literal.replaceAll("'", "''")}'`, fields)[0]).map((part, index) => ({ ...part, token: half[index] }));
  const source = (parts, name) => {
    const isOwn = ({ token }) => token.letter !== undefined && twice.has(kind(token.letter));
    const [from, to] = [parts.findIndex(isOwn), parts.findLastIndex(isOwn)];
    return parts.map(({ type, value }, index) => ({ type, value, source: index >= from && index <= to && from >= 0 ? name : 'shared' }));
  };
  return joined([...source(write(tokens.slice(0, at), first), 'startRange'), ...source(write(tokens.slice(at), last), 'endRange')]);
}

const kind = (letter) => TYPES[letter];

/** Merges neighbouring literals of the same source. */
function joined(parts) {
  const result = [];
  for (const part of parts) {
    const previous = result.at(-1);
    if (part.type === 'literal' && previous?.type === 'literal' && previous.source === part.source) previous.value += part.value;
    else result.push({ ...part });
  }
  return result;
}

/** The patterns for each difference; cached by format. */
function planOf(format) {
  return (format.plan ??= makePlan(format));
}

function makePlan(format) {
  const skeleton = plainSkeleton(format.pattern);
  const { date, time, normalDate, normalTime } = splitSkeleton(skeleton);
  const plan = { date, time, patterns: {}, glue: format.data.glue.short };
  const { patterns, data } = format;
  if (date !== '' && time !== '') {
    plan.datePattern = patterns.best(date);
    plan.timePattern = hours(format, patterns.best(time));
    plan.glue = glueOf(data, date);
  }
  const found = time === '' ? fromTable(data, normalDate, 'GyMd', plan, format) : fromTable(data, normalTime, 'ahm', plan, format);
  if (!found || time === '') return plan;
  if (date === '') {
    // Times on different days need their dates.
    const whole = hours(format, patterns.best(`yMd${time}`));
    for (const letter of DATE_LETTERS) plan.patterns[letter] = fill(data.intervals.intervalFormatFallback, whole, whole);
    return plan;
  }
  for (const letter of 'dMy') {
    const fields = [...'dMy'.slice(0, 'dMy'.indexOf(letter) + 1)].filter((field) => !date.includes(field)).join('');
    if (fields === '') continue;
    const whole = hours(format, patterns.best(fields + skeleton));
    plan.patterns[letter] = fill(data.intervals.intervalFormatFallback, whole, whole);
  }
  for (const letter of 'ahm') {
    if (plan.patterns[letter] !== undefined) plan.patterns[letter] = fill(plan.glue, plan.patterns[letter], plan.datePattern);
  }
  return plan;
}

const HOURS = { h11: 'K', h12: 'h', h23: 'H', h24: 'k' };
const hours = ({ hourCycle }, pattern) => (hourCycle === undefined ? pattern : pattern.replace(/'[^']*'|[hHkK]/g, (piece) => (piece.length > 1 ? piece : HOURS[hourCycle])));

function glueOf({ glue }, date) {
  if (/MMMM|LLLL/.test(date)) return /[Eec]/.test(date) ? glue.full : glue.long;
  return /MMM|LLL/.test(date) ? glue.medium : glue.short;
}

/** Splits a skeleton into date and time, as given and as the interval tables have them. */
function splitSkeleton(skeleton) {
  const parts = { date: '', time: '', normalDate: '', normalTime: '' };
  for (const [text, letter] of skeleton.matchAll(/([A-Za-z])\1*/g)) {
    if ('GyYuUrQqMLlWwdDFgEec'.includes(letter)) {
      parts.date += text;
      if (letter === 'M') parts.normalDate += text.length < 3 ? 'M' : 'M'.repeat(Math.min(text.length, 5));
      else if (letter === 'E') parts.normalDate += text.length <= 3 ? 'E' : 'E'.repeat(Math.min(text.length, 5));
      else parts.normalDate += letter === 'd' ? letter : text;
    } else if (letter !== 'a') {
      parts.time += text;
      if ('hK'.includes(letter)) parts.normalTime += 'h';
      else if ('Hk'.includes(letter)) parts.normalTime += 'H';
      else if (letter === 'm' || letter === 'B') parts.normalTime += letter;
      else if ('zvO'.includes(letter)) parts.normalTime += 'v';
      else parts.normalTime += text;
    }
  }
  return parts;
}

const countOf = (skeleton) => {
  const counts = {};
  for (const letter of skeleton) counts[letter] = (counts[letter] ?? 0) + 1;
  return counts;
};

/** The nearest skeleton with intervals; none if its fields differ. */
function nearest(intervals, wanted) {
  const mine = countOf(wanted);
  let best;
  for (const skeleton of Object.keys(intervals)) {
    if (skeleton === 'intervalFormatFallback') continue;
    const theirs = countOf(skeleton);
    let distance = 0;
    let isOther = false;
    for (const letter of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
      const [a, b] = [mine[letter] ?? 0, theirs[letter] ?? 0];
      if (a === b) continue;
      if (a === 0 || b === 0) {
        isOther = true;
        distance += 0x1000;
      } else if (letter === 'M' && a <= 2 !== b <= 2) distance += 0x100;
      else distance += Math.abs(a - b);
    }
    if (best === undefined || distance < best.distance) best = { distance, skeleton, isOther };
  }
  return best?.isOther ? undefined : best;
}

/** Whether a field is not in the skeleton, but smaller ones are. */
function isLarger(letter, skeleton) {
  const index = DATE_LETTERS.indexOf(letter);
  return index >= 0 && !skeleton.includes(letter) && [...DATE_LETTERS.slice(index + 1)].some((smaller) => skeleton.includes(smaller));
}

function fromTable({ intervals }, skeleton, letters, plan, format) {
  let best = nearest(intervals, skeleton);
  if (best === undefined) return false;
  let table = intervals[best.skeleton];
  // The largest last: a difference in a missing field selects the nearest skeleton that has it.
  for (const letter of [...letters].reverse()) {
    if (table[letter] === undefined && isLarger(letter, skeleton)) {
      const extended = nearest(intervals, letter + skeleton);
      if (extended === undefined) continue;
      skeleton = letter + skeleton;
      best = extended;
      table = intervals[best.skeleton];
    }
    const pattern = letter === 'h' ? (table.h ?? table.H) : letter === 'a' ? (table.a ?? table.B ?? table.H ?? table.h) : table[letter];
    if (pattern === undefined) continue;
    plan.patterns[letter] = hours(format, best.distance === 0 ? pattern : widened(pattern, skeleton, best.skeleton));
  }
  return true;
}

function widened(pattern, wanted, skeleton) {
  const [mine, theirs] = [countOf(wanted), countOf(skeleton)];
  return tokenize(pattern).map(({ text, letter, literal }) => {
    if (literal !== undefined) return `'${literal.replaceAll("'", "''")}'`;
    const key = letter === 'L' ? 'M' : letter === 'c' ? 'E' : letter;
    const [asked, has] = [mine[key] ?? 0, theirs[key] ?? 0];
    return asked > has && text.length === has ? letter.repeat(asked) : text;
  }).join('');
}
