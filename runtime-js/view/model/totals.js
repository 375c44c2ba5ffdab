// The summary of a run.
import { isFailure } from './titles.js';
import { number, sum, text, usage } from './values.js';
import { walk } from './node.js';

const STATES = { limit: 'Limit reached', interrupted: 'Interrupted' };

/** Status in the journal of a run without an end event. */
const UNFINISHED = { running: { word: 'Running', tone: 'open' }, interrupted: { word: 'Interrupted', tone: 'bad' } };

export function stateOf({ finish, status }) {
  if (!finish) return Object.hasOwn(UNFINISHED, status) ? UNFINISHED[status] : { word: 'Not finished', tone: 'open' };
  if (finish.ok === true) return { word: 'Done', tone: 'good' };
  const kind = text(finish.error?.kind);
  return { word: Object.hasOwn(STATES, kind) ? STATES[kind] : 'Failed', tone: 'bad' };
}

export function totals(run, clock) {
  const nodes = [...walk(run.root)];
  const steps = nodes.filter(({ kind }) => kind === 'step');
  const told = run.finish && usage(run.finish.usage);
  const added = (name) => sum(steps.map((step) => step.usage?.[name]));
  const names = ['inputTokens', 'outputTokens', 'totalTokens', 'reasoningTokens', 'cachedInputTokens'];
  const own = run.root.children.filter(({ kind }) => kind === 'step');
  return {
    // A step that was cut off and repeated counts once.
    steps: new Set(own.map((step) => step.number)).size,
    allSteps: steps.filter(({ isCut }) => !isCut).length,
    tools: nodes.filter(({ kind }) => kind === 'tool').length,
    agents: run.agents.length,
    usage: Object.fromEntries(names.map((name) => [name, told?.[name] ?? added(name)])),
    cost: run.finish ? number(run.finish.cost) : sum(steps.map((step) => step.cost)),
    models: [...new Set(steps.map(({ model }) => model).filter(Boolean))],
    duration: (run.starts.length === 1 && number(run.finish?.durationMs)) || clock.length,
    failures: nodes.filter(isFailure),
    warnings: nodes.filter(({ kind }) => kind === 'warning'),
    retries: nodes.filter(({ kind }) => kind === 'retry'),
  };
}
