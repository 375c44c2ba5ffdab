// The list of rows. A short list is rendered completely, so that the browser's search and print find everything; a long
// one is virtualized.
import { Virtualizer, measureElement, observeWindowOffset, observeWindowRect, windowScroll } from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { Row } from './row.jsx';

/** The longest list that is rendered completely. */
const FEW = 400;

export function Feed({ rows, folding, current, clock, actions, goal, isPrinted, onRendered }) {
  const isLong = rows.length > FEW && !isPrinted;
  useLayoutEffect(onRendered);
  const row = (node, index) => (
    <Row
      key={node.id}
      node={node}
      isOpen={folding.isOpen(node)}
      extent={isPrinted && folding.extent(node) === 'part' ? 'much' : folding.extent(node)}
      exchange={folding.exchange(node)}
      isCurrent={node === current}
      clock={clock}
      position={index}
      total={rows.length}
      actions={actions}
    />
  );
  return (
    <section class="feed" role="feed" aria-label="What happened" aria-busy="false">
      {isLong ? <Long rows={rows} row={row} current={current} goal={goal} onRendered={onRendered} /> : <Short rows={rows} row={row} goal={goal} />}
    </section>
  );
}

function Short({ rows, row, goal }) {
  useLayoutEffect(() => {
    if (goal) document.querySelector(`[data-node="${goal.node.id}"]`)?.scrollIntoView({ block: goal.align ?? 'nearest' });
  }, [goal]);
  return rows.map(row);
}

const ESTIMATES = { step: 44, agent: 44, tool: 150, text: 60, reasoning: 60, message: 60, system: 80 };

function Long({ rows, row, current, goal, onRendered }) {
  const list = useRef(null);
  const currentIndex = rows.indexOf(current);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getItemKey: (index) => rows[index].id,
    estimateSize: (index) => ESTIMATES[rows[index].kind] ?? 36,
    overscan: 8,
    // The focused row stays rendered, so that the keyboard keeps its position.
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const [first, last] = [Math.max(startIndex - overscan, 0), Math.min(endIndex + overscan, rows.length - 1)];
      const shown = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      if (currentIndex >= 0 && currentIndex < first) return [currentIndex, ...shown];
      return currentIndex > last ? [...shown, currentIndex] : shown;
    },
    scrollMargin: useTop(list),
    scrollPaddingStart: headHeight(),
    scrollPaddingEnd: 12,
  });
  useLayoutEffect(() => {
    const index = goal ? rows.indexOf(goal.node) : -1;
    if (index >= 0) virtualizer.scrollToIndex(index, { align: goal.align === 'start' ? 'start' : 'auto' });
  }, [goal]);
  useLayoutEffect(onRendered);
  const { scrollMargin } = virtualizer.options;
  return (
    <div class="long" ref={list} style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {virtualizer.getVirtualItems().map(({ key, index, start }) => (
        <div key={key} data-index={index} ref={virtualizer.measureElement} class="place" style={{ transform: `translateY(${start - scrollMargin}px)` }}>
          {row(rows[index], index)}
        </div>
      ))}
    </div>
  );
}

export const headHeight = () => (document.querySelector('.head')?.offsetHeight ?? 0) + 8;

/** The page offset of an element, which changes with the content above it. */
function useTop(element) {
  const [top, setTop] = useState(0);
  const read = () => {
    if (element.current) setTop(Math.round(element.current.getBoundingClientRect().top + window.scrollY));
  };
  useLayoutEffect(read);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(read);
    observer.observe(document.querySelector('.above'));
    return () => observer.disconnect();
  }, []);
  return top;
}

function useVirtualizer(options) {
  const [, rerender] = useReducer((times) => times + 1, 0);
  const all = {
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => window.scrollY,
    measureElement,
    ...options,
    onChange: rerender,
  };
  const [virtualizer] = useState(() => new Virtualizer(all));
  virtualizer.setOptions(all);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
