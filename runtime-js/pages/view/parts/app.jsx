// The root component, with the state of folding, selection and search.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { anchorsOf } from '../model/anchors.js';
import { Search } from '../model/search.js';
import { totals as totalsOf } from '../model/totals.js';
import { nearest } from '../model/node.js';
import { paintHits, showHit } from '../highlight.js';
import { useFolding } from '../folding.js';
import { useKeys } from '../../shared/keys.js';
import { IN_LIST, KEYS, SHORTCUTS } from '../keys.js';
import { usePrinting } from '../../shared/printing.js';
import { switchTheme } from '../../shared/theme.js';
import { Feed } from './feed.jsx';
import { Head } from './head.jsx';
import { Help } from '../../shared/help.jsx';
import { exchangesOf } from './exchange.jsx';
import { Outline } from './outline.jsx';
import { canFold } from './row.jsx';
import { Safe } from '../../shared/safe.jsx';
import { Summary } from './summary.jsx';
import { Timeline } from './timeline.jsx';

export function App({ run, clock, damaged }) {
  const folding = useFolding(run);
  const rows = useMemo(() => visibleRows(run.root, folding), [run, folding.state]);
  const anchors = useMemo(() => anchorsOf(run), [run]);
  const totals = useMemo(() => totalsOf(run, clock), [run]);
  const [current, setCurrent] = useState(null);
  // The scroll target; a new object each time, so that the same one can be set twice.
  const [goal, setGoal] = useState(null);
  const [isHelping, setHelping] = useState(false);
  const [isOutlined, setOutlined] = useState(() => isWide() && anchors.size > 2);
  const isPrinted = usePrinting();
  const go = useCallback(
    (node, align) => {
      folding.reveal(node);
      setCurrent(node);
      setGoal({ node, align });
    },
    [folding.reveal],
  );
  useAnchors(anchors, go);
  const select = useCallback(
    (node) => {
      if (!isWide()) setOutlined(false);
      go(node, 'start');
    },
    [go],
  );
  const closeOutline = useCallback(() => setOutlined(false), []);
  const search = useSearch(run, folding, go);
  const next = (nodes, by) => nodes.length > 0 && go(after(nodes, current, by), 'start');
  const actions = {
    select: setCurrent,
    fold: (node) => (setCurrent(node), folding.toggle(node)),
    whole: folding.whole,
    exchange: () => {
      const step = nearest(current, 'step');
      if (step) folding.setExchange(step, nextExchange(step, folding.exchange(step)));
    },
    outline: () => setOutlined(!isOutlined),
    openAll: folding.openAll,
    closeAll: folding.closeAll,
    theme: switchTheme,
    help: () => setHelping(!isHelping),
    move: (by) => rows.length > 0 && go(after(rows, current, by)),
    step: (by) => next(rows.filter(({ kind }) => kind === 'step'), by),
    toggle: () => current && canFold(current) && folding.toggle(current),
    next,
    failure: (by) => next(totals.failures, by),
    hit: search.go,
    edge: (isEnd) => rows.length > 0 && go(rows.at(isEnd ? -1 : 0), 'start'),
    hasCurrent: () => current !== null,
  };
  const latest = useRef(actions);
  latest.current = actions;
  useKeys(latest, KEYS, IN_LIST);
  // Rows compare their props, so these must be stable.
  const rowActions = useMemo(() => ({ select: setCurrent, fold: (node) => latest.current.fold(node), whole: (node) => latest.current.whole(node), exchange: folding.setExchange }), []);
  useFocus(current, goal);
  const onRendered = () => paintHits(search.query, search.hits[search.at]);
  useEffect(() => showHit(search.query, search.hits[search.at]), [search.hits, search.at]);
  return (
    <>
      <Head run={run} search={search} actions={actions} isOutlined={isOutlined} />
      {isOutlined && <Outline run={run} current={nearest(current, 'step') ?? current} onSelect={select} onClose={closeOutline} />}
      <main class={isOutlined ? 'beside' : ''}>
        <div class="above">
          <Safe name="summary">
            <Summary run={run} totals={totals} damaged={damaged} actions={actions} />
          </Safe>
          <Safe name="time line">
            <Timeline run={run} clock={clock} current={current} onSelect={(node) => go(node, 'start')} />
          </Safe>
        </div>
        <Feed rows={rows} folding={folding} current={current} clock={clock} actions={rowActions} goal={goal} isPrinted={isPrinted} onRendered={onRendered} />
      </main>
      <Help isOpen={isHelping} keys={SHORTCUTS} onClose={() => setHelping(false)}>
        Draw over the time line to look at a part of it; click twice for all of it.
      </Help>
    </>
  );
}

/** Wide enough for the outline next to the list. */
const isWide = () => matchMedia('(min-width: 1180px)').matches;

/** Request, answer, neither. */
function nextExchange(step, shown) {
  const all = exchangesOf(step);
  return all[all.indexOf(shown) + 1];
}

/** Goes to the place that the address names. */
function useAnchors(anchors, go) {
  useEffect(() => {
    const follow = () => {
      const node = anchors.get(location.hash.slice(1));
      if (node) go(node, 'start');
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [anchors, go]);
}

/** Nodes whose ancestors are all open. */
function visibleRows(root, folding) {
  const rows = [];
  const add = (node) => {
    rows.push(node);
    if (node.children.length > 0 && folding.isOpen(node)) node.children.forEach(add);
  };
  root.children.forEach(add);
  return rows;
}

/** The next of `nodes` after the current one, wrapping around. */
function after(nodes, current, by) {
  const at = nodes.indexOf(current);
  if (at >= 0) return nodes[Math.min(Math.max(at + by, 0), nodes.length - 1)] === current ? nodes.at(by > 0 ? 0 : -1) : nodes[at + by];
  if (current === null) return nodes.at(by > 0 ? 0 : -1);
  const following = nodes.findIndex(({ id }) => id > current.id);
  if (by > 0) return nodes[Math.max(following, 0)];
  return nodes.at(following < 0 ? -1 : following - 1);
}

/** Focuses the row selected with the keyboard once it is rendered. */
function useFocus(current, goal) {
  useEffect(() => {
    if (!goal || document.activeElement?.id === 'search') return undefined;
    const frame = requestAnimationFrame(() => document.querySelector(`[data-node="${goal.node.id}"]`)?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, [current, goal]);
}

function useSearch(run, folding, go) {
  const index = useMemo(() => new Search(run.root), [run]);
  const [state, setState] = useState({ query: '', found: '', hits: [], at: 0 });
  const timer = useRef(0);
  const show = (found) => {
    setState(found);
    const hit = found.hits[found.at];
    if (!hit) return;
    folding.reveal(hit.node, true);
    go(hit.node);
  };
  return {
    ...state,
    ask(query) {
      setState((before) => ({ ...before, query, hits: query === '' ? [] : before.hits }));
      clearTimeout(timer.current);
      timer.current = setTimeout(() => show({ query, found: query, hits: index.find(query), at: 0 }), 120);
    },
    go(by) {
      const { hits, at } = state;
      if (hits.length > 0) show({ ...state, at: (at + by + hits.length) % hits.length });
    },
  };
}
