// Lanes of the time line. Each prompt has a lane for its steps, and below it as many for its tools as run concurrently, then
// the lanes of its agents. Agents of one name share a lane if they work for the same lane and do not overlap.
import { ownerOf } from './agents.js';

/** The lanes from top to bottom: `{label, depth, bars}`; a bar is `{from, to, responseEnd?, node}`. */
export function lanesOf(run, clock) {
  const top = newSlot();
  const slots = new Map([[run.root, top]]);
  fillAll(top, run.root);
  for (const agent of run.agents.toSorted((a, b) => a.start - b.start || a.id - b.id)) put(agent);
  return [...order(top, 0)];

  function newSlot() {
    return { agents: [], steps: [], tools: [], inner: new Map(), end: 0 };
  }

  function put(agent) {
    const { inner } = slots.get(ownerOf(agent)) ?? top;
    const group = inner.get(agent.name) ?? inner.set(agent.name, []).get(agent.name);
    let slot = group.find((each) => each.end <= agent.start);
    if (!slot) group.push((slot = newSlot()));
    slot.agents.push(agent);
    slots.set(agent, slot);
    fillAll(slot, agent);
  }

  function fillAll(slot, agent) {
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

  function* order({ agents, steps, tools, inner }, depth) {
    const [first] = agents;
    const label = !first ? 'prompt' : agents.length === 1 ? first.label : `${first.name} × ${agents.length}`;
    yield { label, depth, kind: 'step', bars: steps };
    for (const bars of tools) yield { label: '', depth, kind: 'tool', bars };
    for (const slot of [...inner.values()].flat()) yield* order(slot, depth + 1);
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
