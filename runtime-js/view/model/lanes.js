// Lanes of the time line. Each prompt has a lane for its steps, and below it as many for its tools as run concurrently;
// agents of the same path share lanes if they do not overlap.

const nameOf = (agent) => (agent.kind === 'run' ? 'prompt' : agent.name);

/** The lanes from top to bottom: `{label, depth, bars}`; a bar is `{from, to, responseEnd?, node}`. */
export function lanesOf(run, clock) {
  const groups = new Map();
  const byStart = [run.root, ...run.agents].sort((a, b) => a.start - b.start || a.id - b.id);
  for (const agent of byStart) put(agent);
  return [...order('[]', 0)];

  function put(agent) {
    const key = JSON.stringify(agent.path);
    const group = groups.get(key) ?? groups.set(key, { slots: [], inner: new Set() }).get(key);
    if (agent.path.length > 0) {
      const outer = JSON.stringify(agent.path.slice(0, -1));
      groups.get(outer)?.inner.add(key);
    }
    let slot = group.slots.find((each) => each.end <= agent.start);
    if (!slot) group.slots.push((slot = { label: nameOf(agent), steps: [], tools: [] }));
    slot.end = Math.max(agent.end, agent.start + 1);
    for (const step of agent.children) fill(slot, step);
  }

  function fill(slot, node) {
    if (node.kind === 'step') {
      // Without tool calls, the whole step is the model's response.
      const responseEnd = node.children.some(({ kind }) => kind === 'tool') ? Math.min(node.responseEnd, node.end) : node.end;
      slot.steps.push(bar(node, { responseEnd: clock.at(responseEnd) }));
      node.children.forEach((child) => fill(slot, child));
    } else if (node.kind === 'tool' || node.kind === 'code') {
      const free = slot.tools.find((lane) => lane.at(-1).node.end <= node.start);
      if (free) free.push(bar(node));
      else slot.tools.push([bar(node)]);
    }
  }

  function bar(node, more) {
    return { from: clock.at(node.start), to: clock.at(node.end), node, ...more };
  }

  function* order(key, depth) {
    const group = groups.get(key);
    if (!group) return;
    for (const { label, steps, tools } of group.slots) {
      yield { label, depth, kind: 'step', bars: steps };
      for (const bars of tools) yield { label: '', depth, kind: 'tool', bars };
    }
    for (const inner of group.inner) yield* order(inner, depth + 1);
  }
}

/** The visible bars in a time range, `width` pixels wide; bars too thin to distinguish are merged. */
export function visibleBars(bars, { from, to }, width) {
  const scale = width / (to - from);
  const shown = [];
  for (const bar of bars) {
    if (bar.to < from || bar.from > to) continue;
    const left = (Math.max(bar.from, from) - from) * scale;
    const right = Math.max((Math.min(bar.to, to) - from) * scale, left + 2);
    const last = shown.at(-1);
    if (last && right - left < 4 && left - last.right < 1 && last.right - last.left < 64) {
      last.right = Math.max(right, last.right);
      last.more += 1;
    } else shown.push({ left, right, bar, more: 0 });
  }
  return shown;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ROUND = [
  ...[1, 10, 100].flatMap((unit) => [1, 2, 5].map((times) => times * unit)),
  ...[SECOND, MINUTE].flatMap((unit) => [1, 2, 5, 10, 15, 30].map((times) => times * unit)),
  ...[1, 2, 6, 12, 24, 48, 168].map((times) => times * HOUR),
];

/** Round times for the axis, some 110 pixels apart. */
export function ticks({ from, to }, width) {
  const rough = ((to - from) * 110) / width;
  const step = ROUND.find((each) => each >= rough) ?? Math.ceil(rough / (168 * HOUR)) * 168 * HOUR;
  const marks = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) marks.push(time);
  return marks;
}
