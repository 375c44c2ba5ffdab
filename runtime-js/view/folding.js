// What is open and what is shut, and which long texts are shown whole.
import { useCallback, useMemo, useState } from 'preact/hooks';
import { blocksOf } from './model/blocks.js';
import { walk } from './model/node.js';

/** In a run with more nodes than this, what agents did is shut at first. */
const MANY = 1_000;

const NONE = new Map();

export function useFolding(run) {
  const isLarge = useMemo(() => {
    let nodes = 0;
    for (const _ of walk(run.root)) if (++nodes > MANY) return true;
    return false;
  }, [run]);
  const [state, setState] = useState({ all: null, open: NONE, full: NONE });
  const isOpen = (node) => state.open.get(node.id) ?? state.all ?? opensAtFirst(node, isLarge);
  const toggle = useCallback((node) => setState((old) => withOpen(old, node, !(old.open.get(node.id) ?? old.all ?? opensAtFirst(node, isLarge)))), [isLarge]);
  const reveal = useCallback((node) => setState((old) => revealed(old, node, isLarge)), [isLarge]);
  const full = useCallback((node) => setState((old) => (old.full.get(node.id) ? old : { ...old, full: new Map(old.full).set(node.id, true) })), []);
  return {
    state,
    isOpen,
    isFull: (node) => state.full.get(node.id) ?? state.all === true,
    toggle,
    reveal,
    full,
    openAll: () => setState({ all: true, open: NONE, full: NONE }),
    closeAll: () => setState({ all: false, open: NONE, full: NONE }),
  };
}

function opensAtFirst(node, isLarge) {
  if (node.kind === 'agent') return !isLarge;
  if (node.kind === 'system') return node.isChanged;
  // Names are enough, unless somebody asks.
  return node.kind !== 'tools';
}

const withOpen = (old, node, isOpen) => ({ ...old, open: new Map(old.open).set(node.id, isOpen) });

/** Everything above a node is open, and a hit in it is seen. */
function revealed(old, node, isLarge) {
  let state = old;
  for (let above = node.parent; above?.parent; above = above.parent) {
    if (!(state.open.get(above.id) ?? state.all ?? opensAtFirst(above, isLarge))) state = withOpen(state, above, true);
  }
  return state;
}

/** Whether there is something in a node itself, below its head. */
export const hasBlocks = (node) => blocksOf(node).length > 0;
