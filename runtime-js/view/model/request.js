// What a step asked its model, as the journal has it: `{system?, messages, tools, extra?}`, each only as far as it is new.
import { Node } from './node.js';

export function readRequest(request, agent, step) {
  if (typeof request !== 'object' || request === null) return;
  readSystem(request, agent, step);
  readTools(request.tools, agent, step);
  for (const [list, isReminder] of [[request.messages, false], [request.extra, true]]) {
    for (const message of Array.isArray(list) ? list : []) {
      const { role, content } = typeof message === 'object' && message !== null ? message : { content: message };
      step.add(new Node('message', step.start, { role: isReminder ? 'reminder' : String(role ?? 'message'), content }));
    }
  }
}

function readSystem(request, agent, step) {
  const before = agent.system;
  if (typeof request.system === 'string') agent.system = request.system;
  else if (request.system === null) agent.system = '';
  const now = agent.system;
  if (now === null || (now === '' && !before)) return;
  step.add(new Node('system', step.start, { text: now, before, isChanged: before === null || before !== now }));
}

function readTools(tools, agent, step) {
  if (!Array.isArray(tools)) return;
  const known = new Map((agent.tools ?? []).map((tool) => [tool.name, tool]));
  const listed = tools.map((tool) => {
    const described = typeof tool === 'object' && tool !== null ? tool : { name: String(tool) };
    return { ...known.get(described.name), ...described, name: String(described.name ?? '?') };
  });
  const isSame = agent.tools !== null && JSON.stringify(agent.tools) === JSON.stringify(listed);
  agent.tools = listed;
  if (!isSame && (listed.length > 0 || known.size > 0)) step.add(new Node('tools', step.start, { tools: listed }));
}
