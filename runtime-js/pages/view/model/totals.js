// The summary of a run.
import { isFailure } from './titles.js';
import { COUNTS, number, sum, usage } from '../../shared/values.js';
import { walk } from './node.js';

export function totals(run, clock) {
  const nodes = [...walk(run.root)];
  const steps = nodes.filter(({ kind }) => kind === 'step');
  const known = run.finish && usage(run.finish.usage);
  const added = (name) => sum(steps.map((step) => step.usage?.[name]));
  const own = run.root.children.filter(({ kind }) => kind === 'step');
  return {
    // A step that was cut off and repeated counts once.
    steps: new Set(own.map((step) => step.number)).size,
    allSteps: steps.filter(({ isCut, isTakenBack }) => !isCut && !isTakenBack).length,
    tools: nodes.filter(({ kind }) => kind === 'tool').length,
    agents: run.agents.length,
    usage: Object.fromEntries(COUNTS.map((name) => [name, known?.[name] ?? added(name)])),
    cost: run.finish ? number(run.finish.cost) : sum(steps.map((step) => step.cost)),
    models: [...new Set(steps.map(({ model }) => model).filter(Boolean))],
    duration: (run.starts.length === 1 && number(run.finish?.durationMs)) || clock.length,
    failures: nodes.filter(isFailure),
    warnings: nodes.filter(({ kind }) => kind === 'warning'),
    retries: nodes.filter(({ kind }) => kind === 'retry'),
  };
}

/** Rows of more agents than this are joined by name. */
const MOST_AGENTS = 30;

/** What each agent used by itself: `{name, anchor?, agents, steps, tools, usage, cost}`, the file's own prompt first. */
export function totalsByAgent(run) {
  const areJoined = run.agents.length > MOST_AGENTS;
  const rows = new Map();
  for (const agent of [run.root, ...run.agents]) {
    const key = agent === run.root ? agent : areJoined ? agent.name : agent;
    if (!rows.has(key)) rows.set(key, { name: agent === run.root ? 'prompt' : areJoined ? agent.name : agent.label, anchor: areJoined ? undefined : agent.anchor, agents: 0, steps: [], tools: 0 });
    const row = rows.get(key);
    row.agents += 1;
    for (const step of agent.children.filter(({ kind }) => kind === 'step')) {
      row.steps.push(step);
      row.tools += step.children.filter(({ kind }) => kind === 'tool').length;
    }
  }
  const added = (steps, name) => sum(steps.map(({ usage: used }) => used?.[name]));
  return [...rows.values()].map((row) => ({
    ...row,
    steps: row.steps.filter(({ isCut }) => !isCut).length,
    usage: Object.fromEntries(COUNTS.map((name) => [name, added(row.steps, name)])),
    cost: sum(row.steps.map(({ cost }) => cost)),
  }));
}
