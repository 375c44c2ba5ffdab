// Which nodes are open, and which long texts are shown whole.
import { useCallback, useMemo, useState } from 'preact/hooks';
import { walk } from './model/node.js';

/** In a run with more nodes than this, agents are closed at first. */
const MANY = 1_000;

const NONE = new Map();

export function useFolding(run) {
  const isLarge = useMemo(() => {
    let nodes = 0;
    for (const _ of walk(run.root)) if (++nodes > MANY) return true;
    return false;
  }, [run]);
  const [state, setState] = useState({ all: null, open: NONE, whole: NONE });
  const [exchanges, setExchanges] = useState(NONE);
  const isOpen = (node) => state.open.get(node.id) ?? state.all ?? opensAtFirst(node, isLarge);
  const toggle = useCallback((node) => setState((old) => withOpen(old, node, !(old.open.get(node.id) ?? old.all ?? opensAtFirst(node, isLarge)))), [isLarge]);
  const reveal = useCallback((node, isWhole = false) => setState((old) => revealed(old, node, isWhole, isLarge)), [isLarge]);
  const whole = useCallback((node) => setState((old) => withWhole(old, node)), []);
  return {
    state,
    isOpen,
    /** How much of a node's text is shown: see `EXTENTS` in `parts/block.jsx`. */
    extent: (node) => (state.whole.get(node.id) ? 'whole' : state.all === true ? 'much' : 'part'),
    /** Whether a step shows its `request` or its `answer` as a whole. */
    exchange: (node) => exchanges.get(node.id),
    setExchange: useCallback((node, which) => setExchanges((old) => new Map(old).set(node.id, which)), []),
    toggle,
    reveal,
    whole,
    openAll: () => setState({ all: true, open: NONE, whole: NONE }),
    closeAll: () => setState({ all: false, open: NONE, whole: NONE }),
  };
}

function opensAtFirst(node, isLarge) {
  if (node.kind === 'agent') return !isLarge;
  if (node.kind === 'system') return node.isChanged;
  // Tool lists start closed, as their heads have the names.
  return node.kind !== 'tools';
}

const withOpen = (old, node, isOpen) => ({ ...old, open: new Map(old.open).set(node.id, isOpen) });

const withWhole = (old, node) => (old.whole.get(node.id) ? old : { ...old, whole: new Map(old.whole).set(node.id, true) });

/** Opens all ancestors of a node, and the node itself if it is to be shown whole. */
function revealed(old, node, isWhole, isLarge) {
  let state = old;
  const isShut = (each) => !(state.open.get(each.id) ?? state.all ?? opensAtFirst(each, isLarge));
  for (let each = isWhole ? node : node.parent; each?.parent; each = each.parent) if (isShut(each)) state = withOpen(state, each, true);
  return isWhole ? withWhole(state, node) : state;
}
