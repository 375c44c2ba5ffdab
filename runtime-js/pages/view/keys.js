// Keyboard shortcuts.
import { LIST_KEYS, ROW_KEYS } from '../shared/keys.js';

export const KEYS = {
  ...LIST_KEYS,
  J: (actions) => actions.step(1),
  K: (actions) => actions.step(-1),
  r: (actions) => actions.exchange(),
  l: (actions) => actions.outline(),
  n: (actions) => actions.hit(1),
  N: (actions) => actions.hit(-1),
  e: (actions) => actions.failure(1),
  E: (actions) => actions.failure(-1),
};

/** Keys of a row that has the focus. */
export const IN_LIST = ROW_KEYS;

/** For the help. */
export const SHORTCUTS = [
  ['j  k', 'next, previous item (also ↓ ↑ once an item is chosen)'],
  ['J  K', 'next, previous step'],
  ['o  Enter', 'open or close the item'],
  ['a  c', 'open all, close all'],
  ['r', 'the request of the step, its answer, neither'],
  ['l', 'show or hide the outline'],
  ['/', 'search'],
  ['n  N', 'next, previous hit'],
  ['e  E', 'next, previous problem'],
  ['g  G', 'to the top, to the end'],
  ['t', 'light or dark'],
  ['Esc', 'leave the search, close this'],
];
