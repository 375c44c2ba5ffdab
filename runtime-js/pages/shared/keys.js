// Keyboard shortcuts of a page.
import { useLayoutEffect } from 'preact/hooks';

/** `actions` is a ref to the current actions; `keys` and `inList` are functions of them by key, `inList` those of a row. */
export function useKeys(actions, keys, inList) {
  useLayoutEffect(() => {
    const pressed = (event) => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (target.matches?.('input, textarea, select, [contenteditable]') || target.closest?.('dialog')) return;
      const isRow = target.matches?.('.row');
      const action = (isRow && Object.hasOwn(inList, key) && inList[key]) || (Object.hasOwn(keys, key) && keys[key]);
      if (!action) return;
      event.preventDefault();
      action(actions.current);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}

/** The keys that the lists of all pages have. */
export const LIST_KEYS = {
  j: (actions) => actions.move(1),
  k: (actions) => actions.move(-1),
  o: (actions) => actions.toggle(),
  a: (actions) => actions.openAll(),
  c: (actions) => actions.closeAll(),
  g: (actions) => actions.edge(false),
  G: (actions) => actions.edge(true),
  t: (actions) => actions.theme(),
  '?': (actions) => actions.help(),
  '/': toSearch,
};

/** Keys of a row that has the focus: elsewhere they scroll, or press a button. */
export const ROW_KEYS = {
  ArrowDown: LIST_KEYS.j,
  ArrowUp: LIST_KEYS.k,
  Enter: LIST_KEYS.o,
};

function toSearch() {
  const field = document.getElementById('search');
  field.focus();
  field.select();
}
