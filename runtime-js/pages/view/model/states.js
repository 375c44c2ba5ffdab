// States of runs, agents, steps and calls.
import { text } from '../../shared/values.js';

const OF_ERRORS = { limit: 'Limit reached', interrupted: 'Interrupted', approval: 'Waiting for approval' };

/** Status in the journal of a run without an end event. */
const UNFINISHED = {
  running: { word: 'Running', tone: 'open' },
  waiting: { word: 'Waiting for approval', tone: 'wait' },
  interrupted: { word: 'Interrupted', tone: 'bad' },
};

export function stateOf({ finish, status }) {
  if (finish) return stateOfEnd(finish);
  return Object.hasOwn(UNFINISHED, status) ? UNFINISHED[status] : { word: 'Not finished', tone: 'open' };
}

export function stateOfEnd(result) {
  if (result.ok === true) return { word: 'Finished', tone: 'good' };
  const kind = text(result.error?.kind);
  return { word: Object.hasOwn(OF_ERRORS, kind) ? OF_ERRORS[kind] : 'Failed', tone: kind === 'approval' ? 'wait' : 'bad' };
}

/** The state of an agent, a step or a call: `{word, tone}`; null if it is over and went well. */
export function stateOfNode(node) {
  if (node.isTakenBack) return { word: 'taken back', tone: 'wait' };
  if (node.isWaiting) return { word: 'waiting for approval', tone: 'wait' };
  if (node.isRunning) return { word: 'running', tone: 'open' };
  if (node.isCut) return { word: 'cut off', tone: 'bad' };
  if (node.kind === 'agent') return node.error ? { word: 'failed', tone: 'bad' } : null;
  if (node.kind !== 'tool') return null;
  if (node.check?.ok === false) return { word: 'not run', tone: 'bad' };
  return node.isError ? { word: 'error', tone: 'bad' } : null;
}

/** Marks the calls that wait for approval when a run ends, and what they are in. */
export function markWaiting(run, root, agents) {
  for (const waiting of waitingCalls(run)) {
    const path = JSON.stringify(waiting.path);
    const owners = [root, ...agents].filter((agent) => JSON.stringify(agent.path) === path);
    const calls = owners.map((agent) => agent.calls.get(waiting.toolCallId)).filter((call) => call && !call.hasOutput);
    for (let node = calls.at(-1); node; node = node.parent) Object.assign(node, { isWaiting: true, isCut: false });
  }
}

/** The calls that a run waits for: `{call, toolCallId, name, args, path}`. */
export function waitingCalls({ finish }) {
  const list = finish?.error?.waiting;
  return (Array.isArray(list) ? list : []).map((each) => ({
    call: text(each?.call),
    toolCallId: text(each?.toolCallId),
    name: text(each?.name),
    args: each?.args,
    path: Array.isArray(each?.agent) ? each.agent.map(text) : [],
  }));
}
