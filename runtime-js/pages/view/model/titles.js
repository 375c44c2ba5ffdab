// Titles of nodes.
import { stateOfEnd } from './states.js';
import { preview } from '../../shared/words.js';

/** Labels of messages. */
export const LABELS = {
  system: 'System',
  message: 'Message',
  tools: 'Tools',
  reasoning: 'Reasoning',
  text: 'Text',
  tool: 'Tool',
  code: 'Code',
  sources: 'Sources',
  notice: 'Note',
  warning: 'Warning',
  retry: 'Retry',
  states: 'State',
};

const ROLES = { user: 'User', assistant: 'Assistant', tool: 'Tool result', system: 'System', reminder: 'Reminder' };

export function labelOf(node) {
  if (node.kind === 'message') return Object.hasOwn(ROLES, node.role) ? ROLES[node.role] : node.role;
  return LABELS[node.kind] ?? '';
}

export function titleOf(node) {
  switch (node.kind) {
    case 'step':
      return `Step ${node.number}`;
    case 'agent':
      return node.label;
    case 'tool':
      return node.name;
    case 'resume':
      return node.fromStep === null ? 'Resumed' : `Resumed at step ${node.fromStep}`;
    case 'finish':
      return stateOfEnd(node.result).word;
    case 'tools':
      return node.tools.map(({ name }) => name).join(', ') || 'none';
    default:
      return '';
  }
}

export function isFailure(node) {
  switch (node.kind) {
    case 'tool':
      return node.isError || node.isCut === true || (node.check?.ok === false && !node.isWaiting);
    case 'code':
      return node.check?.ok === false;
    case 'agent':
      return Boolean(node.error) && !node.isWaiting;
    case 'step':
      return node.isCut === true || node.finishReason === 'error';
    case 'finish':
      return stateOfEnd(node.result).tone === 'bad';
    default:
      return false;
  }
}

/** A short summary of a step: its text, else the tools it called. */
export function gist({ children }) {
  const said = children.findLast(({ kind }) => kind === 'text');
  if (said) return preview(said.text.slice(0, 400).replace(/^[#>*\s-]+|\*\*|`/g, ''));
  const names = children.filter(({ kind }) => kind === 'tool').map(({ name }) => name);
  return [...new Set(names)].join(', ');
}
