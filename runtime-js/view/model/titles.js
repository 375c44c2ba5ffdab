// Titles of nodes.

/** Labels of messages. */
export const LABELS = {
  system: 'System',
  message: 'Message',
  tools: 'Tools',
  reasoning: 'Reasoning',
  text: 'Text',
  tool: 'Tool',
  code: 'Code',
  notice: 'Note',
  warning: 'Warning',
  retry: 'Retry',
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
    case 'tool':
      return node.name;
    case 'resume':
      return node.fromStep === null ? 'Resumed' : `Resumed at step ${node.fromStep}`;
    case 'finish':
      return node.result.ok === true ? 'Done' : 'Ended';
    case 'tools':
      return node.tools.map(({ name }) => name).join(', ') || 'none';
    default:
      return '';
  }
}

export function isFailure(node) {
  switch (node.kind) {
    case 'tool':
      return node.isError || node.isCut === true || node.check?.ok === false;
    case 'code':
      return node.check?.ok === false;
    case 'agent':
      return Boolean(node.error);
    case 'step':
      return node.isCut === true || node.finishReason === 'error';
    case 'finish':
      return node.result.ok !== true;
    default:
      return false;
  }
}
