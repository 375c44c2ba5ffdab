// Highlights search hits in the rendered rows with CSS highlights, without changing the DOM.
import { headHeight } from '../shared/list.jsx';

const canPaint = typeof Highlight === 'function' && Boolean(CSS.highlights);

/** Highlights all hits, and the current one differently. */
export function paintHits(query, hit) {
  if (!canPaint) return;
  CSS.highlights.clear();
  if (query === '') return;
  const all = new Highlight();
  for (const row of document.querySelectorAll('.row')) for (const range of rangesIn(row, query)) all.add(range);
  CSS.highlights.set('hit', all);
  const now = rangeOf(query, hit);
  if (now) {
    const marked = new Highlight(now);
    marked.priority = 1;
    CSS.highlights.set('hit-now', marked);
  }
}

/** How often, and after how many milliseconds, to check whether a hit is visible. */
const LOOKS = 8;
const WAIT = 70;

/** Scrolls to the hit itself, as its row may be taller than the window. Returns a function that cancels it. */
export function showHit(query, hit) {
  if (!hit) return undefined;
  let timer;
  // The list first scrolls to the row, and may move it after measuring.
  const look = (left) => {
    timer = setTimeout(() => {
      const place = rangeOf(query, hit)?.getBoundingClientRect();
      const isSeen = place && place.top >= headHeight() && place.bottom <= innerHeight - 8;
      if (place && !isSeen) window.scrollBy(0, place.top - innerHeight / 3);
      if (left > 1 && !isSeen) look(left - 1);
    }, WAIT);
  };
  look(LOOKS);
  return () => clearTimeout(timer);
}

function rangeOf(query, hit) {
  const row = hit && document.querySelector(`[data-node="${hit.node.id}"]`);
  if (!row) return null;
  const ranges = rangesIn(row, query);
  return ranges[Math.min(hit.nth, ranges.length - 1)] ?? null;
}

/** The ranges of the query in a row; a match may span several text nodes. */
function rangesIn(row, query) {
  const nodes = [];
  const starts = [];
  let text = '';
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest('.at, .facts, .actions, .exchange, .anchor, .owner, .more, .model, .kind, .reason') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  while (walker.nextNode()) {
    nodes.push(walker.currentNode);
    starts.push(text.length);
    text += walker.currentNode.data;
  }
  const lower = text.toLowerCase();
  const wanted = query.toLowerCase();
  const ranges = [];
  let index = 0;
  /** The text node that contains the position, and the offset in it. */
  const locate = (at, end) => {
    while (index + 1 < nodes.length && starts[index + 1] < end) index += 1;
    return [nodes[index], Math.min(at - starts[index], nodes[index].length)];
  };
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange();
    range.setStart(...locate(at, at + 1));
    range.setEnd(...locate(at + wanted.length, at + wanted.length));
    ranges.push(range);
  }
  return ranges;
}
