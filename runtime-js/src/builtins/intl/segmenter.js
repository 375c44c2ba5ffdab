// `Intl.Segmenter`; the native half finds all boundaries of a text at once.
import { findBoundaries } from 'lmthing:internal/native/intl';
import { canonicalizeLocaleList, readMatcher, resolveLocale, supportedLocalesOf } from './locales.js';
import { finish, stateOf, textOption, toOptionsObject } from './options.js';

const OWNER = 'Intl.Segmenter';
const states = new WeakMap();
const segmentsStates = new WeakMap();
const iteratorStates = new WeakMap();

function dataAt({ input, ends, granularity }, index) {
  const end = ends[index];
  const start = index === 0 ? 0 : Math.abs(ends[index - 1]);
  const data = { segment: input.slice(start, Math.abs(end)), index: start, input };
  // The native half checks the last character, which may be a combining mark.
  if (granularity === 'word') data.isWordLike = end > 0 || /[\p{L}\p{Nd}]/u.test(data.segment);
  return data;
}

const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const SegmentIteratorPrototype = Object.create(IteratorPrototype, {
  next: {
    value: function next() {
      const state = stateOf(iteratorStates, this, '%SegmentIterator.prototype%.next');
      if (state.index >= state.segments.ends.length) return { value: undefined, done: true };
      return { value: dataAt(state.segments, state.index++), done: false };
    },
    writable: true,
    configurable: true,
  },
  [Symbol.toStringTag]: { value: 'Segmenter String Iterator', configurable: true },
});

const SegmentsPrototype = {
  containing(index = undefined) {
    const state = stateOf(segmentsStates, this, '%Segments.prototype%.containing');
    const position = Math.trunc(Number(index)) || 0;
    if (position < 0 || position >= state.input.length) return undefined;
    let [low, high] = [0, state.ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Math.abs(state.ends[middle]) > position) high = middle;
      else low = middle + 1;
    }
    return dataAt(state, low);
  },
  [Symbol.iterator]() {
    const iterator = Object.create(SegmentIteratorPrototype);
    iteratorStates.set(iterator, { segments: stateOf(segmentsStates, this, '%SegmentsPrototype%[@@iterator]'), index: 0 });
    return iterator;
  },
};
for (const key of Reflect.ownKeys(SegmentsPrototype)) Object.defineProperty(SegmentsPrototype, key, { enumerable: false });

class Segmenter {
  constructor(locales = undefined, options = undefined) {
    const requested = canonicalizeLocaleList(locales);
    const given = toOptionsObject(options);
    readMatcher(given, OWNER);
    const { locale } = resolveLocale(requested);
    const granularity = textOption(given, 'granularity', ['grapheme', 'word', 'sentence'], 'grapheme', OWNER);
    states.set(this, { locale, granularity });
  }

  segment(text) {
    const { granularity } = stateOf(states, this, `${OWNER}.prototype.segment`);
    const input = String(text);
    const segments = Object.create(SegmentsPrototype);
    segmentsStates.set(segments, { input, granularity, ends: findBoundaries(granularity, input.toWellFormed()) });
    return segments;
  }

  resolvedOptions() {
    const { locale, granularity } = stateOf(states, this, `${OWNER}.prototype.resolvedOptions`);
    return { locale, granularity };
  }
}

export default finish(Segmenter, OWNER, supportedLocalesOf(OWNER));
