// Keyboard shortcuts. `actions` is a ref to the current actions.
import { useEffect } from 'preact/hooks';

const KEYS = {
  j: (actions) => actions.move(1),
  k: (actions) => actions.move(-1),
  J: (actions) => actions.step(1),
  K: (actions) => actions.step(-1),
  o: (actions) => actions.toggle(),
  a: (actions) => actions.openAll(),
  c: (actions) => actions.closeAll(),
  r: (actions) => actions.exchange(),
  l: (actions) => actions.outline(),
  n: (actions) => actions.hit(1),
  N: (actions) => actions.hit(-1),
  e: (actions) => actions.failure(1),
  E: (actions) => actions.failure(-1),
  g: (actions) => actions.edge(false),
  G: (actions) => actions.edge(true),
  t: (actions) => actions.theme(),
  '?': (actions) => actions.help(),
  '/': () => {
    const field = document.getElementById('search');
    field.focus();
    field.select();
  },
};

/** Keys with another meaning unless nothing, or a button, has the focus. */
const IN_LIST = {
  ArrowDown: KEYS.j,
  ArrowUp: KEYS.k,
  Enter: KEYS.o,
};

export function useKeys(actions) {
  useEffect(() => {
    const pressed = (event) => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (target.matches?.('input, textarea, select, [contenteditable]') || target.closest?.('dialog')) return;
      const isRow = target.matches?.('.row');
      const action = (isRow && Object.hasOwn(IN_LIST, key) && IN_LIST[key]) || (Object.hasOwn(KEYS, key) && KEYS[key]);
      if (!action) return;
      event.preventDefault();
      action(actions.current);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}
