// Builds the node tree of a run from its events (docs/reference/events.md, docs/reference/journal.md). Ignores unknown types and members,
// and validates known ones: a file may be damaged or made by hand.
import { Agents, labelAgents } from './agents.js';
import { Node, nearest, walk } from './node.js';
import { readRequest } from './request.js';
import { markWaiting } from './states.js';
import { cacheOf } from './cache.js';
import { number, text, usage } from '../../shared/values.js';

/** `status` is that of the journal, which knows whether the run is still running; empty if unknown. */
export function readRun(events, status = '') {
  const reader = new Reader();
  for (const event of events) reader.read(event);
  return reader.end(status);
}

class Reader {
  constructor() {
    this.root = new Node('run', 0, { path: [] });
    this.agents = new Agents(this.root);
    this.run = { id: '', file: '', starts: [], finish: null, events: 0, cuts: [] };
    this.last = null;
  }

  read(event) {
    if (typeof event !== 'object' || event === null || !Object.hasOwn(READERS, event.type)) return;
    const time = number(event.time) ?? this.last ?? 0;
    if (this.last === null) this.root.start = time;
    this.run.events += 1;
    this.run.id ||= text(event.run);
    // The time line omits the interruption before a resumed run.
    if (event.type === 'run-start' && this.last !== null) this.run.cuts.push({ from: this.last, to: Math.max(time, this.last) });
    const now = Math.max(time, this.last ?? time);
    READERS[event.type].call(this, event, this.agents.of(event, now), now);
    this.last = now;
  }

  /** The parent of the agent's next node. */
  place(agent) {
    return agent.step ?? agent;
  }

  /** Appends text of the model; consecutive pieces are one node. */
  say(kind, event, agent, now) {
    const place = this.place(agent);
    const last = place.children.at(-1);
    const node = last?.kind === kind ? last : place.add(new Node(kind, now, { text: '' }));
    node.pieces ??= [];
    node.pieces.push(text(event.delta));
    node.end = now;
    if (agent.step) agent.step.responseEnd = now;
  }

  /** Ends everything in progress: the process has ended. */
  interrupt() {
    for (const agent of [this.root, ...this.agents.all]) agent.step = null;
    for (const node of walk(this.root)) if (node.end === null) node.cutAt ??= this.last;
  }

  end(status) {
    this.root.end = this.last ?? 0;
    for (const node of walk(this.root)) {
      if (node.pieces) {
        node.text = node.pieces.join('');
        delete node.pieces;
      }
      if (node.end === null) {
        // Nodes with a duration and no end were cut off; others are instantaneous.
        const lasts = ['agent', 'step', 'tool'].includes(node.kind);
        node.isRunning = lasts && status === 'running' && node.cutAt === undefined;
        node.isCut = lasts && !node.isRunning;
        node.end = lasts ? (node.cutAt ?? this.root.end) : node.start;
      }
    }
    const agents = this.agents.all;
    labelAgents(agents);
    markWaiting(this.run, this.root, agents);
    return { ...this.run, status, root: this.root, agents };
  }
}

const READERS = {
  'run-start'(event, _, now) {
    if (this.run.starts.length > 0) {
      this.interrupt();
      this.root.add(new Node('resume', now, { fromStep: number(event.fromStep) }));
    }
    this.run.file = text(event.file) || this.run.file;
    this.run.starts.push(now);
    this.run.finish = null;
  },

  'step-start'(event, agent, now) {
    const step = new Node('step', now, { number: number(event.step) ?? 0, model: text(event.model), requestedModel: text(event.model), usage: null, cost: null, responseEnd: now });
    agent.step = agent.add(step);
    readRequest(event.request, agent, step);
  },

  'text-delta'(event, agent, now) {
    this.say('text', event, agent, now);
  },

  'reasoning-delta'(event, agent, now) {
    this.say('reasoning', event, agent, now);
  },

  'tool-call'(event, agent, now) {
    const id = text(event.toolCallId);
    if (agent.step) agent.step.responseEnd = now;
    const begun = agent.calls.get(id);
    // A call that was cut off is repeated when the run resumes.
    if (begun && begun.end === null) return;
    agent.calls.set(id, this.place(agent).add(toolNode(event, now)));
  },

  'tool-result'(event, agent, now) {
    const id = text(event.toolCallId);
    const call = agent.calls.get(id) ?? this.place(agent).add(toolNode(event, now));
    agent.calls.set(id, call);
    // A call of the step that a resumed run continues.
    const step = nearest(call, 'step');
    if (step?.end === null) agent.step ??= step;
    call.end = now;
    call.output = event.output;
    call.hasOutput = true;
    call.isError = event.isError === true;
    call.took = number(event.durationMs);
  },

  source(event, agent, now) {
    const place = this.place(agent);
    const last = place.children.at(-1);
    const node = last?.kind === 'sources' ? last : place.add(new Node('sources', now, { sources: [] }));
    node.sources.push(readSource(event));
  },

  'code-check'(event, agent, now) {
    const code = typeof event.code === 'string' ? event.code : undefined;
    const diagnostics = Array.isArray(event.diagnostics) ? event.diagnostics : [];
    const call = this.agents.codeCall(agent, event);
    const holder = call ?? this.place(agent).add(new Node('code', now, { console: [] }));
    holder.code = code ?? holder.code;
    holder.check = { ok: event.ok === true, diagnostics };
  },

  'code-console'(event, agent, now) {
    const last = this.place(agent).children.at(-1);
    const holder = this.agents.codeCall(agent, event) ?? (last?.kind === 'code' ? last : null);
    (holder ?? this.place(agent).add(new Node('code', now, { console: [] }))).console.push(text(event.text));
  },

  'agent-start'() {},

  /** Of the journal only, for this page: the states that have changed, by name, as `{value}`, `{lost}` or null. */
  states(event, agent, now) {
    const place = agent.step ?? agent.children.findLast(({ kind }) => kind === 'step') ?? agent;
    const changed = typeof event.states === 'object' && event.states !== null ? event.states : {};
    place.add(new Node('states', now, { states: changed }));
  },

  'agent-finish'(event, agent, now) {
    agent.end = now;
    agent.took = number(event.durationMs);
    agent.error = typeof event.error === 'string' ? event.error : null;
    agent.step = null;
  },

  warning(event, agent, now) {
    this.place(agent).add(new Node('warning', now, { text: text(event.message) }));
  },

  retry(event, agent, now) {
    this.place(agent).add(new Node('retry', now, { text: text(event.message), wait: number(event.waitMs) ?? 0 }));
  },

  'taken-back'(event, agent, now) {
    const from = number(event.step) ?? 0;
    for (const step of agent.children) if (step.kind === 'step' && step.number >= from) step.isTakenBack = true;
    this.interrupt();
    agent.add(new Node('notice', now, { text: `The user took back step ${from} and what followed it.` }));
  },

  'step-finish'(event, agent, now) {
    const step = agent.step ?? agent.children.findLast((node) => node.kind === 'step' && node.number === event.step);
    if (!step) return;
    step.end = now;
    step.took = number(event.durationMs);
    step.finishReason = text(event.finishReason);
    step.usage = usage(event.usage);
    step.cost = number(event.cost);
    step.cache = cacheOf(event.cache);
    step.model = text(event.model) || step.model;
    step.finish = event;
    // Not every provider says what its own calls have found.
    for (const node of step.children) if (node.isOfProvider) node.end ??= now;
    agent.step = null;
  },

  'run-finish'(event, _, now) {
    this.run.finish = event;
    this.root.add(new Node('finish', now, { result: event }));
  },
};

function readSource({ id, url, title, cites }) {
  const quotes = Array.isArray(cites) ? cites.map((cite) => text(cite?.text)).filter(Boolean) : [];
  return { name: text(title) || text(url) || text(id), url: text(url), quotes };
}

function toolNode(event, now) {
  const { input } = event;
  const code = typeof input?.code === 'string' ? input.code : undefined;
  return new Node('tool', now, {
    callId: text(event.toolCallId),
    name: text(event.toolName),
    input,
    hasInput: input !== undefined,
    code,
    check: null,
    console: [],
    hasOutput: false,
    isError: false,
    isOfProvider: event.providerExecuted === true,
  });
}
