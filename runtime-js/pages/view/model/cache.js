// What the prompt cache saved of a step, and what kept it from saving more (`cache` of docs/reference/events.md).
import { number, text } from '../../shared/values.js';

export function cacheOf(value) {
  if (typeof value !== 'object' || value === null) return null;
  const { read, expected, brokenBy } = value;
  const counts = { read: number(read) ?? 0, expected: number(expected) ?? 0 };
  if (counts.read === 0 && counts.expected === 0) return null;
  if (typeof brokenBy !== 'object' || brokenBy === null) return { ...counts, brokenBy: null };
  return { ...counts, brokenBy: { kind: text(brokenBy.kind), name: text(brokenBy.name), tokens: number(brokenBy.tokens), cost: number(brokenBy.cost) } };
}

const WORDS = {
  tools: (name) => (name ? `tool ${name} changed` : 'tools changed'),
  message: () => 'an earlier message changed',
  settings: (name) => `setting ${name} changed`,
  model: (name) => `model ${name} answers now`,
  provider: () => 'not yours: evicted, too short or too late',
};

export const changeWords = ({ kind, name }) => WORDS[kind]?.(name) ?? `${kind} ${name || 'options.system'} changed`;

/** The share of the input that was read, in percent: 100 only for all of it. */
export function shareRead({ cache, usage }) {
  const input = usage?.inputTokens;
  if (!input) return null;
  const share = Math.round((cache.read / input) * 100);
  return share >= 100 && cache.read < input ? 99 : Math.min(share, 100);
}

/** The section or variable that has changed, before and after: `{before, after}`; null if the events do not have it. */
export function differenceOf(step) {
  const { kind, name } = step.cache?.brokenBy ?? {};
  if ((kind !== 'section' && kind !== 'variable') || !name) return null;
  const system = step.children.find((node) => node.kind === 'system');
  if (!system || system.before === null) return null;
  const [before, after] = [system.before, system.text].map((prompt) => within(prompt, name));
  return before === after ? null : { before, after };
}

function within(prompt, name) {
  const start = prompt.indexOf(`<${name}>`);
  const end = prompt.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? '' : prompt.slice(start + name.length + 2, end).trim();
}

const SHOWN = 60;

/** Two texts from a few characters before they begin to differ. */
export function shortened({ before, after }) {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const start = Math.max(same - 20, 0);
  const part = (whole) => `${start > 0 ? '…' : ''}${whole.slice(start, start + SHOWN)}${whole.length > start + SHOWN ? '…' : ''}`;
  return [before, after].map(part);
}
