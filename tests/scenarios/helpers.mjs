// What the scenarios share: mock items, inner runs, and printing with sorted keys. Copied next to every scenario.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';

/** A text item of a mock model. */
export const say = (text) => ({ type: 'text', text });

/** A tool call item of a mock model. */
export const call = (toolName, args = {}, toolCallId = 'c1') => ({ type: 'tool-call', toolCallId, toolName, args });

const sortKeys = (_, value) => (value && typeof value === 'object' && !Array.isArray(value)
  ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  : value);

/** Prints a value as one line of JSON with sorted keys. */
export const print = (value) => console.log(JSON.stringify(value, sortKeys));

/** The text of a message. */
export const textOf = (message) => (typeof message.content === 'string'
  ? message.content
  : message.content.map((part) => part.text ?? '').join(''));

/** Text without white space around tags, and with single spaces. */
export const tidy = (text) => text.replace(/\s*(<[^<>]+>)\s*/g, '$1').replace(/\s+/g, ' ').trim();

/** The tidied system prompt of a step. */
export const systemOf = (step) => tidy(step.input.prompt.filter((m) => m.role === 'system').map(textOf).join('\n'));

/** The texts of the user messages of a step. */
export const usersOf = (step) => step.input.prompt.filter((m) => m.role === 'user').map(textOf);

/** `role:text` of every message of a step but the system prompt. */
export const talkOf = (step) => step.input.prompt.filter((m) => m.role !== 'system').map((m) => `${m.role}:${textOf(m)}`);

/** The typed outputs of the tool results a step saw last. */
export const outputsOf = (step) => step.input.prompt.filter((m) => m.role === 'tool').at(-1).content.map((p) => p.output);

/** The values of the tool results a step saw last. */
export const valuesOf = (step) => outputsOf(step).map((output) => output.value);

/** Runs a prompt function on mock items (or a model) to its end. */
export const drive = async (fn, model, config = {}) => {
  const { result, prompt } = await runPrompt(fn, { model: Array.isArray(model) ? createMockModel(model) : model, ...config });
  return { text: await result.text, prompt, steps: prompt.steps, result };
};

/** A call of `runToolCode` with this code: a text, or a list of its lines. */
export const code = (source, toolCallId = 'c1') => call('runToolCode', { code: [source].flat().join('\n') }, toolCallId);

/** What `runToolCode` answers to some code, with the functions that `define` defines. */
export const runCode = async (define, source, config) => {
  const { steps } = await drive(async (prompt) => { await define(prompt); prompt.$`go`; }, [code(source), say('ok')], config);
  return valuesOf(steps[1])[0];
};

/** The text of an answer that comes in these pieces, with the methods that `define` defines. */
export const answerTo = async (define, pieces, config) => (
  await drive(async (prompt) => { await define(prompt); prompt.$`go`; }, [pieces].flat().map(say), config)
).text;

/** The message of the error a function throws or rejects with; `name` in front. */
export const failure = async (fn) => {
  try {
    await fn();
    return 'nothing was thrown';
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};

/** A model object with `doStream`: every turn is a list of stream parts, or a function of the call options giving one. */
export const scripted = (...turns) => {
  const requests = [];
  let turn = 0;
  return {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'turns',
    requests,
    async doStream(options) {
      requests.push(options);
      const next = turns[turn++] ?? [];
      const parts = typeof next === 'function' ? await next(options) : next;
      return { stream: (async function* () { yield* parts; })() };
    },
  };
};

const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };

/** The stream parts of a text answer. */
export const textTurn = (text, finishReason = 'stop') => [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: text }, { type: 'text-end', id: '0' },
  { type: 'finish', finishReason, usage },
];

/** A model object with these answers, each a list of pieces of text. */
export const inPieces = (answers) => scripted(...answers.map((pieces) => [
  { type: 'text-start', id: '0' }, ...pieces.map((delta) => ({ type: 'text-delta', id: '0', delta })),
  { type: 'text-end', id: '0' }, { type: 'finish', finishReason: 'stop', usage },
]));

/** Prints the values of a stream on one line, and the error that it ends with. */
export const printAll = async (stream) => {
  const values = [];
  try {
    for await (const value of stream) values.push(JSON.stringify(value));
  } catch (error) {
    values.push(`${error.name}: ${error.message.split(':')[0]}`);
  }
  console.log(values.join(' '));
};

/** The stream parts of several calls in one answer: `[toolName, args, toolCallId]` each. */
export const callTurn = (...calls) => [
  { type: 'stream-start', warnings: [] },
  ...calls.map(([toolName, args, toolCallId]) => ({ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(args) })),
  { type: 'finish', finishReason: 'tool-calls', usage },
];

/** A model object whose provider searches twice: its first answer pauses, the next one ends. */
export const searchingTwice = () => {
  let requests = 0;
  const parts = (raw) => [
    { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: '{"query":"x"}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: ['found'] },
    { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: raw }, { type: 'text-end', id: '0' },
    { type: 'finish', finishReason: { unified: 'stop', raw }, usage: { inputTokens: { total: 10 }, outputTokens: { total: 3 } } },
  ];
  const doStream = () => {
    requests += 1;
    return { stream: ReadableStream.from(parts(requests === 1 ? 'pause_turn' : 'end_turn')) };
  };
  return { specificationVersion: 'v4', provider: 'anthropic.messages', modelId: 'm', doStream };
};
