// Names of places on the page, for links: `#step-3`, `#agent-2`, `#agent-2-step-0`, `#finish`.
import { walk } from './node.js';

/** Gives steps, agents and the end their anchors. Returns the nodes by anchor. */
export function anchorsOf(run) {
  const byName = new Map();
  run.agents.forEach((agent, index) => (agent.anchor = `agent-${agent.number || index + 1}`));
  for (const node of walk(run.root)) {
    if (node.kind === 'step') node.anchor = `${node.parent.anchor ? `${node.parent.anchor}-` : ''}step-${node.number}`;
    else if (node.kind === 'finish') node.anchor = 'finish';
    else if (node.kind !== 'agent') continue;
    const earlier = byName.get(node.anchor) ?? [];
    byName.set(node.anchor, [...earlier, node]);
  }
  const places = new Map();
  for (const [name, nodes] of byName) {
    // Of a step that was cut off and repeated, the last one counts.
    nodes.forEach((node, index) => {
      if (index < nodes.length - 1) node.anchor = `${name}-attempt-${index + 1}`;
      places.set(node.anchor, node);
    });
  }
  return places;
}
