// The dialog of keyboard shortcuts. `keys` are pairs of keys and words.
import { useLayoutEffect, useRef } from 'preact/hooks';

export function Help({ isOpen, keys, onClose, children }) {
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
          {keys.map(([names, does]) => (
            <div key={names}>
              <dt>
                {names.split('  ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        {children && <p>{children}</p>}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}
