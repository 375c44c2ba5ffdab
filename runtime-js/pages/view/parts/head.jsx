// The top of the page: title, search and actions.
import { stateOf } from '../model/states.js';
import { MOST } from '../model/search.js';
import { count } from '../../shared/words.js';

export function Head({ run, search, actions, isOutlined }) {
  const { word, tone } = stateOf(run);
  const name = run.file.split(/[\\/]/).at(-1) || 'A run';
  return (
    <header class="head">
      <h1 title={run.file}>
        {name} <span class={`state ${tone}`}>{word}</span>
      </h1>
      <form role="search" class="search" onSubmit={(event) => event.preventDefault()}>
        <input
          id="search"
          type="search"
          placeholder="Search  /"
          aria-label="Search in the run"
          autocomplete="off"
          spellcheck={false}
          value={search.query}
          onInput={(event) => search.ask(event.currentTarget.value)}
          onKeyDown={(event) => searchKey(event, search)}
        />
        <output for="search" aria-live="polite">
          {search.query && words(search)}
        </output>
        <button type="button" disabled={search.hits.length === 0} onClick={() => search.go(-1)} aria-label="Previous hit" title="Previous hit (N)">
          ↑
        </button>
        <button type="button" disabled={search.hits.length === 0} onClick={() => search.go(1)} aria-label="Next hit" title="Next hit (n)">
          ↓
        </button>
      </form>
      <div class="buttons">
        <button type="button" aria-expanded={isOutlined} aria-controls="outline" onClick={actions.outline} title="Outline (l)">
          Outline
        </button>
        <button type="button" onClick={actions.openAll} title="Open all (a)">
          Open all
        </button>
        <button type="button" onClick={actions.closeAll} title="Close all (c)">
          Close all
        </button>
        <button type="button" onClick={actions.theme} aria-label="Light or dark" title="Light or dark (t)">
          ◐
        </button>
        <button type="button" onClick={actions.help} aria-label="Keys" title="Keys (?)">
          ?
        </button>
      </div>
    </header>
  );
}

function words({ query, found, hits, at }) {
  if (query !== found) return '…';
  if (hits.length === 0) return 'no hits';
  return `${count(at + 1)} / ${count(hits.length)}${hits.length >= MOST ? '+' : ''}`;
}

function searchKey(event, search) {
  if (event.key === 'Enter') search.go(event.shiftKey ? -1 : 1);
  else if (event.key === 'Escape') {
    search.ask('');
    event.currentTarget.blur();
  } else return;
  event.preventDefault();
}
