// Keyboard shortcuts.
import { LIST_KEYS, ROW_KEYS } from '../shared/keys.js';

export const KEYS = {
  ...LIST_KEYS,
  f: (actions) => actions.nextFilter(),
};

/** Keys of a row that has the focus. */
export const IN_LIST = {
  ...ROW_KEYS,
  ' ': KEYS.o,
};

/** For the help. */
export const SHORTCUTS = [
  ['j  k', 'next, previous row (also ↓ ↑ once a row is chosen)'],
  ['o  Enter', 'open or close the row'],
  ['a  c', 'open all, close all'],
  ['f', 'the next filter'],
  ['/', 'search'],
  ['g  G', 'to the first row, to the last'],
  ['t', 'light or dark'],
  ['Esc', 'leave the search, close this'],
];
