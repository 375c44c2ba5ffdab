// The request of a step, as in the journal (docs/reference/events.md): `{system?, whole?, messages, extra?, tools, toolSpecs?}`,
// only what has changed since earlier lines.
import { Node } from './node.js';
import { text } from './values.js';

export function readRequest(request, agent, step) {
  if (typeof request !== 'object' || request === null) return;
  readSystem(request, agent, step);
  readTools(request, agent, step);
  if (request.whole === true) step.add(new Node('notice', step.start, { text: 'The conversation was changed: this is all of it.' }));
  for (const [list, isReminder] of [[request.messages, false], [request.extra, true]]) {
    for (const message of Array.isArray(list) ? list : []) {
      const { role, content } = typeof message === 'object' && message !== null ? message : { content: message };
      step.add(new Node('message', step.start, { role: isReminder ? 'reminder' : text(role) || 'message', content }));
    }
  }
}

function readSystem(request, agent, step) {
  const before = agent.system;
  if (typeof request.system === 'string') agent.system = request.system;
  else if (request.system === null && before !== null) agent.system = '';
  const now = agent.system;
  if (now === null || (now === '' && !before)) return;
  step.add(new Node('system', step.start, { text: now, before, isChanged: before === null || before !== now }));
}

/** Tools by name; specs are stored on first use and when they change. */
function readTools({ tools, toolSpecs }, agent, step) {
  const specs = [toolSpecs, tools].find((list) => Array.isArray(list) && list.some((tool) => typeof tool === 'object' && tool !== null));
  for (const spec of specs ?? []) if (spec?.name) agent.specs.set(text(spec.name), spec);
  const listed = (Array.isArray(tools) ? tools : (specs ?? [])).map((tool) => text(tool?.name ?? tool));
  const isSame = agent.tools !== null && !specs && JSON.stringify(agent.tools) === JSON.stringify(listed);
  const hadNone = !agent.tools?.length;
  agent.tools = listed;
  if (isSame || (listed.length === 0 && hadNone)) return;
  step.add(new Node('tools', step.start, { tools: listed.map((name) => ({ ...agent.specs.get(name), name })) }));
}
