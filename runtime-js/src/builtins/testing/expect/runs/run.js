// The view of a run for matchers: calls, steps, cost. A result of `run()` has it; for `runPrompt` it is built from the
// steps.

const BRAND = Symbol.for('lmthing.run');
const REUSE = Symbol.for('lmthing.reuse');

const isObject = (value) => value !== null && typeof value === 'object';
const hasSteps = (value) =>
  isObject(value) && Array.isArray(value.steps) && value.steps.every((step) => Array.isArray(step?.input?.prompt));

/** Reads the value given to `expect`; throws a `TypeError` unless it is a run. */
export function readRun(value, matcher) {
  if (isObject(value) && value[BRAND] === true) {
    return {
      calls: value.toolCalls,
      steps: value.steps,
      cost: value.cost,
      error: value.error,
      text: value.text,
      output: value.output,
      reuse: value[REUSE],
    };
  }
  const prompt = [value, value?.prompt].find(hasSteps);
  if (prompt) return { calls: callsOf(prompt.steps, []), steps: prompt.steps };
  throw new TypeError(`${matcher} needs the result of run('./file.lmt.mjs'), got ${described(value)}`);
}

function described(value) {
  if (value === null) return 'null';
  if (typeof value?.then === 'function') return 'a promise: await it first';
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) {
    const names = Object.keys(value);
    return names.length === 0
      ? 'an object without properties'
      : `an object with ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
  }
  return typeof value === 'string'
    ? `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`
    : `${typeof value}${value === undefined ? '' : ` ${String(value)}`}`;
}

/** The calls in steps and in the agents they started, in order. */
function callsOf(steps, agent) {
  const results = new Map(
    steps
      .flatMap(({ input }) => input.prompt)
      .flatMap((message) => (message.role === 'tool' ? message.content : []))
      .map((part) => [part.toolCallId, part]),
  );
  return steps.flatMap(({ output }) =>
    output.content
      .filter(({ type }) => type === 'tool-call')
      .flatMap(({ toolName, toolCallId, input }) => {
        const inner = results.get(toolCallId)?.agentSteps ?? [];
        return [{ toolName, toolCallId, input, agent }, ...callsOf(inner, [...agent, toolName])];
      }),
  );
}

/** The system prompt of a step as one text. */
export const systemOf = (step) =>
  step.input.prompt
    .filter(({ role }) => role === 'system')
    .map(({ content }) => content)
    .join('\n');

/** The error of a failed run, as the end of a message. */
export const failureOf = ({ error }) => (error ? `\n\nThe run failed: ${error.message}` : '');

const MOST = 20;
const WIDEST = 200;

/** Calls as lines: `agent > tool({"city":"Rome"})`. */
export function listed(calls) {
  const lines = calls
    .slice(0, MOST)
    .map(({ toolName, input, agent }) => `  ${[...agent, toolName].join(' > ')}(${cut(JSON.stringify(input) ?? '')})`);
  if (calls.length > MOST) lines.push(`  … and ${calls.length - MOST} more`);
  return lines.join('\n');
}

const cut = (text) => (text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text);
