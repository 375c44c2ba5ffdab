// The outline: links to the steps of the run, and below each the agents that work for it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ownerOf } from '../model/agents.js';
import { nearest } from '../model/node.js';
import { stateOfEnd, stateOfNode } from '../model/states.js';
import { gist, isFailure } from '../model/titles.js';
import { memo } from '../../shared/memo.js';

export const Outline = memo(({ run, current, onSelect, onClose }) => {
  const children = useMemo(() => agentsByPlace(run), [run]);
  const nav = useRef(null);
  // The rows are shown first.
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true));
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => nav.current.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [current]);
  const item = (node) => <Item key={node.id} node={node} children={children} current={current} onSelect={onSelect} />;
  return (
    <nav class="outline" ref={nav} id="outline" aria-label="Outline">
      <h2>Outline</h2>
      <button type="button" class="close" onClick={onClose} aria-label="Close the outline">
        ×
      </button>
      <ol>
        {isReady && (children.get(run.root) ?? []).map(item)}
        {isReady && run.root.children.filter(({ kind }) => kind === 'step' || kind === 'finish').map(item)}
      </ol>
    </nav>
  );
});

/** Agents by the step in which they began, or by the agent without a step. */
function agentsByPlace(run) {
  const places = new Map();
  for (const agent of run.agents) {
    const place = nearest(agent.parent, 'step') ?? ownerOf(agent);
    if (!places.has(place)) places.set(place, []);
    places.get(place).push(agent);
  }
  return places;
}

function Item({ node, children, current, onSelect }) {
  const steps = node.kind === 'agent' ? node.children.filter(({ kind }) => kind === 'step') : [];
  const inner = [node, ...steps].flatMap((each) => children.get(each) ?? []);
  return (
    <li>
      <Link node={node} current={current} onSelect={onSelect} />
      {steps.length > 0 && <span class="steps">{steps.map((step) => <Link key={step.id} node={step} current={current} onSelect={onSelect} isShort />)}</span>}
      {inner.length > 0 && (
        <ol>
          {inner.map((each) => (
            <Item key={each.id} node={each} children={children} current={current} onSelect={onSelect} />
          ))}
        </ol>
      )}
    </li>
  );
}

function Link({ node, current, onSelect, isShort }) {
  const tone = node.kind === 'finish' ? stateOfEnd(node.result).tone : (stateOfNode(node)?.tone ?? (isFailure(node) ? 'bad' : ''));
  const title = node.kind === 'step' ? `Step ${node.number}` : node.kind === 'agent' ? node.label : stateOfEnd(node.result).word;
  return (
    <a href={`#${node.anchor}`} class={`${node.kind} is-${tone || 'plain'}`} aria-current={node === current ? 'location' : undefined} aria-label={isShort ? title : undefined} onClick={() => onSelect(node)}>
      {isShort ? node.number : title} {!isShort && node.kind === 'step' && <small>{gist(node)}</small>}
    </a>
  );
}
