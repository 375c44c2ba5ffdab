// Assigns events to agents: the file's own prompt, its agents, their agents.
import { Node } from './node.js';
import { number, text } from '../../shared/values.js';

export class Agents {
  constructor(root) {
    this.root = prepare(root);
    this.byKey = new Map([['', root]]);
    this.byPath = new Map([['[]', [root]]]);
    /** All except the file's own prompt. */
    this.all = [];
  }

  /** The agent of an event; created on its first event. */
  of(event, now) {
    const path = Array.isArray(event.agent) ? event.agent.map(text) : [];
    const agentNumber = number(event.agentNumber) ?? 0;
    if (path.length === 0 && agentNumber === 0) return this.root;
    const key = agentNumber > 0 ? `#${agentNumber}` : JSON.stringify(path);
    const known = this.byKey.get(key);
    // In files without agent numbers, an ended agent that starts again is a new one.
    if (known && !(event.type === 'agent-start' && known.end !== null)) return known;
    const agent = this.begin(event, path, now);
    this.byKey.set(key, agent);
    return agent;
  }

  begin(event, path, now) {
    const callId = event.type === 'agent-start' ? text(event.toolCallId) : '';
    const name = path.at(-1) ?? text(event.name);
    const agent = prepare(new Node('agent', now, { name, path, callId, number: number(event.agentNumber) ?? 0 }));
    this.above(path, callId, this.byKey.get(`#${number(event.parentNumber) ?? 0}`)).add(agent);
    const key = JSON.stringify(path);
    this.byPath.set(key, [...(this.byPath.get(key) ?? []), agent]);
    this.all.push(agent);
    return agent;
  }

  /** The tool call that an agent answers, else the step in which it started. */
  above(path, callId, parent) {
    const candidates = parent ? [parent] : (this.byPath.get(JSON.stringify(path.slice(0, -1))) ?? [this.root]);
    const calls = callId === '' ? [] : candidates.map((agent) => agent.calls.get(callId)).filter(Boolean);
    const call = calls.findLast((node) => node.end === null) ?? calls.at(-1);
    const agent = candidates.findLast((node) => node.end === null) ?? candidates.at(-1);
    return call ?? agent.step ?? agent;
  }

  /** The call whose code an event of model-written code belongs to; null for code in a text. */
  codeCall(agent, event) {
    const known = agent.calls.get(text(event.toolCallId));
    if (known) return known;
    const calls = [...agent.calls.values()];
    return calls.findLast((call) => call.end === null && call.code !== undefined) ?? null;
  }
}

/** The agent, or the file's own prompt, that an agent works for. */
export function ownerOf(agent) {
  let node = agent.parent;
  while (node.parent && node.kind !== 'agent') node = node.parent;
  return node;
}

/** Numbers the agents that share a name, in the order they began. */
export function labelAgents(agents) {
  const byName = new Map();
  for (const agent of agents) {
    if (!byName.has(agent.name)) byName.set(agent.name, []);
    byName.get(agent.name).push(agent);
  }
  for (const [name, all] of byName) all.forEach((agent, index) => (agent.label = all.length > 1 ? `${name} #${index + 1}` : name));
}

function prepare(node) {
  node.calls = new Map();
  node.step = null;
  node.system = null;
  node.tools = null;
  node.toolSpecs = [];
  node.specs = new Map();
  node.settings = null;
  node.settingsBefore = null;
  return node;
}
