// The time line: bars of steps and tools, by agent. Everything in it is also in the list, to which the bars link.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { lanesOf, ticks, visibleBars } from '../model/lanes.js';
import { isFailure, titleOf } from '../model/titles.js';
import { duration, mark } from '../../shared/words.js';

const LANE = 20;
/** Lanes that are visible without scrolling. */
const MOST_LANES = 12;

export function Timeline({ run, clock, current, onSelect }) {
  const lanes = useMemo(() => lanesOf(run, clock), [run]);
  const whole = { from: 0, to: clock.length };
  const [span, setSpan] = useState(whole);
  const [top, setTop] = useState(0);
  const area = useRef(null);
  const width = useWidth(area);
  const zoom = (times, at = (span.from + span.to) / 2) => setSpan(within(whole, { from: at - (at - span.from) * times, to: at + (span.to - at) * times }));
  const [drag, dragging] = useDrag(area, (from, to) => {
    const scale = (span.to - span.from) / width;
    setSpan(within(whole, { from: span.from + from * scale, to: span.from + to * scale }));
  });
  const first = Math.max(Math.floor(top / LANE) - 2, 0);
  const shown = lanes.slice(first, first + MOST_LANES + 5);
  const isWhole = span.from === whole.from && span.to === whole.to;
  const x = (time) => ((time - span.from) / (span.to - span.from)) * width;
  return (
    <section class="timeline" aria-label="Time line">
      <div class="tools" role="group" aria-label="Zoom of the time line">
        <h2>Time line</h2>
        <Legend />
        <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in" title="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(2)} disabled={isWhole} aria-label="Zoom out" title="Zoom out">
          −
        </button>
        <button type="button" onClick={() => setSpan(whole)} disabled={isWhole} title="The whole run">
          Fit
        </button>
      </div>
      <div class="lanes" style={{ maxHeight: `${MOST_LANES * LANE}px` }} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <div class="labels" style={{ height: `${lanes.length * LANE}px` }}>
          {shown.map((lane, index) => (
            <span key={first + index} title={lane.label} style={{ top: `${(first + index) * LANE}px`, '--depth': Math.min(lane.depth, 6) }}>
              {lane.label}
            </span>
          ))}
        </div>
        <div class="bars" ref={area} style={{ height: `${lanes.length * LANE}px` }} {...dragging} onDblClick={() => setSpan(whole)}>
          {ticks(span, width).map((time) => (
            <i key={time} class="line" style={{ left: `${x(time)}px` }} />
          ))}
          {clock.resumptions.map((time) => (
            <i key={`seam${time}`} class="seam" title="Resumed" style={{ left: `${x(time)}px` }} />
          ))}
          {shown.map((lane, index) =>
            visibleBars(lane.bars, span, width).map(({ left, right, bar, more }) => (
              <Bar key={bar.node.id} top={(first + index) * LANE} {...{ left, right, bar, more, current, onSelect, x }} />
            )),
          )}
          {drag && <i class="chosen" style={{ left: `${drag.from}px`, width: `${drag.to - drag.from}px` }} />}
        </div>
      </div>
      <div class="axis" aria-hidden="true">
        <div>
          {ticks(span, width).map((time) => (
            <span key={time} style={{ left: `${x(time)}px` }}>
              {mark(time)}
            </span>
          ))}
        </div>
      </div>
    </section>
  );
}

const Legend = () => (
  <ul class="legend" aria-label="Colours">
    <li class="is-model">Model</li>
    <li class="is-tools">Waits for tools</li>
    <li class="is-tool">Tool</li>
    <li class="is-bad">Error</li>
  </ul>
);

function Bar({ top, left, right, bar, more, current, onSelect, x }) {
  const { node } = bar;
  const width = Math.max(right - left - 1, 2);
  // The model's response, followed by the time of its tools.
  const responseEnd = bar.responseEnd === undefined || more > 0 ? null : Math.min(Math.max(x(bar.responseEnd) - left, 2), width);
  const isPale = responseEnd !== null && responseEnd < 16;
  const names = ['bar', node.kind, isFailure(node) && 'bad', node === current && 'current', more > 0 && 'merged', isPale && 'pale'];
  const called = node.kind === 'step' ? titleOf(node) : (node.name ?? 'Code');
  const name = more > 0 ? `${more + 1} ${node.kind}s` : node.kind === 'step' ? String(node.number) : called;
  const title = `${called} · ${duration(bar.to - bar.from)}${more > 0 ? ` and ${more} more` : ''}`;
  return (
    <button
      type="button"
      tabIndex={-1}
      class={names.filter(Boolean).join(' ')}
      style={{ top: `${top + 2}px`, left: `${left}px`, width: `${width}px` }}
      title={title}
      aria-label={title}
      onClick={() => onSelect(node)}
    >
      {responseEnd !== null && <i style={{ width: `${responseEnd}px` }} />}
      {width > 14 + name.length * 6 && <span>{name}</span>}
    </button>
  );
}

/** Clamps a time range to the run, with a minimal length. */
function within(whole, { from, to }) {
  const length = Math.min(Math.max(to - from, 1), whole.to);
  const start = Math.min(Math.max(from, 0), whole.to - length);
  return { from: start, to: start + length };
}

function useWidth(element) {
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    const read = () => setWidth(Math.max(element.current.clientWidth, 50));
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Selects a time range by dragging. */
function useDrag(area, onChosen) {
  const [drag, setDrag] = useState(null);
  const at = (event) => event.clientX - area.current.getBoundingClientRect().left;
  const handlers = {
    onPointerDown: (event) => {
      if (event.pointerType === 'mouse' && event.button === 0) setDrag({ start: at(event), from: at(event), to: at(event) });
    },
    onPointerMove: (event) => {
      if (drag) setDrag({ ...drag, from: Math.min(drag.start, at(event)), to: Math.max(drag.start, at(event)) });
    },
    onPointerUp: () => {
      if (drag && drag.to - drag.from > 5) onChosen(drag.from, drag.to);
      setDrag(null);
    },
    onPointerLeave: () => setDrag(null),
  };
  return [drag && drag.to - drag.from > 5 ? drag : null, handlers];
}
