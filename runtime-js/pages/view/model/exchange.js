// The request and the answer of a step as values: the request as lmthing made it, put together from what was new in each
// step, and the answer as the model's parts. Neither is the text that went over the network, which nothing stores.

/** The whole request of a step; null if the events do not have it, as those of `run -f events`. */
export function requestOf(step) {
  if (!step.request) return null;
  const { system, tools, settings, extra } = step.request;
  const messages = [...historyOf(step), ...extra];
  if (system) messages.unshift({ role: 'system', content: system });
  return { model: step.requestedModel, messages, tools, settings: settings ?? {} };
}

/** The conversation as of the request, without the system prompt. */
function historyOf(step) {
  const rounds = [];
  for (const each of step.parent.children) {
    if (each.kind !== 'step' || !each.request) continue;
    const { messages, isWhole } = each.request;
    // A step that is repeated brings its messages again.
    while (rounds.length > 0 && rounds.at(-1).step.number >= each.number) rounds.pop();
    const before = rounds.at(-1);
    if (isWhole) rounds.length = 0;
    else if (before) before.after = added(before.step, messages);
    rounds.push({ step: each, messages, after: [] });
    if (each === step) break;
  }
  return rounds.flatMap(({ messages, after }) => [...messages, ...after]);
}

/** The answer and the results of a step as messages, unless the following messages have them. */
function added(step, following) {
  const list = [];
  const content = contentOf(step);
  if (content.length > 0 && following[0]?.role !== 'assistant') list.push({ role: 'assistant', content });
  const isOwn = ({ kind, hasOutput, isOfProvider }) => kind === 'tool' && hasOutput && !isOfProvider;
  const results = step.children.filter(isOwn).map(resultOf);
  if (results.length > 0 && !following.slice(0, 2).some((message) => message?.role === 'tool')) list.push({ role: 'tool', content: results });
  return list;
}

function contentOf({ children }) {
  return children.flatMap((node) => {
    if (node.kind === 'text' || node.kind === 'reasoning') return [{ type: node.kind, text: node.text }];
    if (node.kind !== 'tool' || !node.hasInput) return [];
    const call = { type: 'tool-call', toolCallId: node.callId, toolName: node.name, input: node.input };
    // The results of the provider's own calls belong to its answer.
    if (node.isOfProvider) return [{ ...call, providerExecuted: true }, ...(node.hasOutput ? [resultOf(node)] : [])];
    return [call];
  });
}

function resultOf({ callId, name, output, isError }) {
  const form = typeof output === 'string' ? 'text' : 'json';
  return { type: 'tool-result', toolCallId: callId, toolName: name, output: { type: isError ? `error-${form}` : form, value: output } };
}

/** The answer of a step; null if there is none yet. */
export function answerOf(step) {
  const content = contentOf(step);
  if (content.length === 0 && !step.finish) return null;
  const { model, finishReason, usage, cost, response, warnings } = step.finish ?? {};
  return { content, finishReason, usage, cost, model, response, warnings };
}
