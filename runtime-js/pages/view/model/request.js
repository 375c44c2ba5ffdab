// The request of a step, as in the journal (docs/reference/events.md): `{system?, whole?, messages, extra?, tools, toolSpecs?,
// settings?}`, only what has changed since earlier lines.
import { Node } from './node.js';
import { text } from '../../shared/values.js';

export function readRequest(request, agent, step) {
  if (typeof request !== 'object' || request === null) return;
  readSystem(request, agent, step);
  readTools(request, agent, step);
  readSettings(request, agent, step);
  const [messages, extra] = [request.messages, request.extra].map((list) => (Array.isArray(list) ? list : []));
  step.request = { system: agent.system, tools: agent.toolSpecs, settings: agent.settings, messages, extra, isWhole: request.whole === true };
  if (request.whole === true) step.add(new Node('notice', step.start, { text: 'The conversation was changed: this is all of it.' }));
  for (const [list, isReminder] of [[messages, false], [extra, true]]) {
    for (const message of list) {
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
  if (isSame) return;
  agent.tools = listed;
  agent.toolSpecs = listed.map((name) => ({ ...agent.specs.get(name), name }));
  if (listed.length === 0 && hadNone) return;
  step.add(new Node('tools', step.start, { tools: agent.toolSpecs }));
}

function readSettings({ settings }, agent, step) {
  if (typeof settings === 'object' && settings !== null) agent.settings = settings;
  step.settings = agent.settings;
  step.hasOtherSettings = agent.settings !== agent.settingsBefore;
  agent.settingsBefore = agent.settings;
}
