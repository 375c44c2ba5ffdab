// The dialog of keyboard shortcuts.
import { useLayoutEffect, useRef } from 'preact/hooks';

const KEYS = [
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

export function Help({ isOpen, onClose }) {
  const dialog = useRef(null);
  useLayoutEffect(() => {
    if (isOpen) dialog.current.showModal();
    else dialog.current.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby="keys" onClose={onClose} onClick={(event) => event.target === event.currentTarget && onClose()}>
      <div>
        <h2 id="keys">Keys</h2>
        <dl>
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                {keys.split('  ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <p>Draw over the time line to look at a part of it; click twice for all of it.</p>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}
