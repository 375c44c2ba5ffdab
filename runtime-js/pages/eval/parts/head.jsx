// The top of the page: title, search and actions.
import { useEffect, useRef, useState } from 'preact/hooks';

export function Head({ title, isOk, query, onSearch, actions }) {
  const [typed, setTyped] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => onSearch(typed), 120);
    return () => clearTimeout(timer);
  }, [typed]);
  const act = (name) => () => actions.current[name]();
  const field = useRef(null);
  const leave = (event) => {
    if (event.key !== 'Escape') return;
    setTyped('');
    field.current.blur();
  };
  return (
    <header class="head">
      <h1 title={title}>
        <bdi>{title}</bdi> <span class={`state ${isOk ? 'good' : 'bad'}`}>{isOk ? '✓ OK' : '✗ Not OK'}</span>
      </h1>
      <form role="search" class="search" onSubmit={(event) => event.preventDefault()}>
        <input id="search" ref={field} type="search" placeholder="Search rows  /" aria-label="Search in the rows" autocomplete="off" spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onKeyDown={leave} />
      </form>
      <div class="buttons">
        <button type="button" onClick={act('openAll')} title="Open all (a)">
          Open all
        </button>
        <button type="button" onClick={act('closeAll')} title="Close all (c)">
          Close all
        </button>
        <button type="button" onClick={act('theme')} aria-label="Light or dark" title="Light or dark (t)">
          ◐
        </button>
        <button type="button" onClick={act('help')} aria-label="Keys" title="Keys (?)">
          ?
        </button>
      </div>
    </header>
  );
}
