// A list of nodes. A short one is rendered completely, so that the browser's search and print find everything; a long one
// is virtualized.
import { Virtualizer, measureElement, observeWindowOffset, observeWindowRect, windowScroll } from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

/** The longest list that is rendered completely. */
const FEW = 400;

/**
 * `nodes` have an `id` each, and `render(node, index)` makes an element with it as `data-node`. `estimate(node)` is a height,
 * `overscan` the number of nodes that are rendered before and after those that are seen.
 * `goal` is `{node, align}`, where to scroll. The list is below an element of the class `above`.
 */
export function List({ nodes, few = FEW, isPrinted, onRendered, ...rest }) {
  const isLong = nodes.length > few && !isPrinted;
  useLayoutEffect(() => onRendered?.());
  return isLong ? <Long nodes={nodes} onRendered={onRendered} {...rest} /> : <Short nodes={nodes} {...rest} />;
}

function Short({ nodes, render, goal }) {
  useLayoutEffect(() => {
    if (goal) document.querySelector(`[data-node="${goal.node.id}"]`)?.scrollIntoView({ block: goal.align ?? 'nearest' });
  }, [goal]);
  return nodes.map(render);
}

function Long({ nodes, render, estimate, overscan = 8, current, goal, onRendered }) {
  const list = useRef(null);
  const currentIndex = nodes.indexOf(current);
  const virtualizer = useVirtualizer({
    count: nodes.length,
    getItemKey: (index) => nodes[index].id,
    estimateSize: (index) => estimate(nodes[index]),
    overscan,
    // The focused row stays rendered, so that the keyboard keeps its position.
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const [first, last] = [Math.max(startIndex - overscan, 0), Math.min(endIndex + overscan, nodes.length - 1)];
      const shown = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      if (currentIndex >= 0 && currentIndex < first) return [currentIndex, ...shown];
      return currentIndex > last ? [...shown, currentIndex] : shown;
    },
    scrollMargin: useTop(list),
    scrollPaddingStart: headHeight(),
    scrollPaddingEnd: 12,
  });
  useLayoutEffect(() => {
    const index = goal ? nodes.indexOf(goal.node) : -1;
    if (index >= 0) virtualizer.scrollToIndex(index, { align: goal.align === 'start' ? 'start' : 'auto' });
  }, [goal]);
  useLayoutEffect(() => onRendered?.());
  const { scrollMargin } = virtualizer.options;
  return (
    <div class="long" ref={list} style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {virtualizer.getVirtualItems().map(({ key, index, start }) => (
        <div key={key} data-index={index} ref={virtualizer.measureElement} class="place" style={{ transform: `translateY(${start - scrollMargin}px)` }}>
          {render(nodes[index], index)}
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
