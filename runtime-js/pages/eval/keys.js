// Keyboard shortcuts.
import { toSearch } from '../shared/keys.js';

export const KEYS = {
  j: (actions) => actions.move(1),
  k: (actions) => actions.move(-1),
  o: (actions) => actions.toggle(),
  a: (actions) => actions.openAll(),
  c: (actions) => actions.closeAll(),
  f: (actions) => actions.nextFilter(),
  g: (actions) => actions.edge(false),
  G: (actions) => actions.edge(true),
  t: (actions) => actions.theme(),
  '?': (actions) => actions.help(),
  '/': toSearch,
};

/** Keys with another meaning unless nothing, or a button, has the focus. */
export const IN_LIST = {
  ArrowDown: KEYS.j,
  ArrowUp: KEYS.k,
  Enter: KEYS.o,
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
