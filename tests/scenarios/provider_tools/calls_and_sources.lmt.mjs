// Calls that the provider ran are shown with their results and are not run; sources are those of a step and of the run.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('')];

const page = (url, cites = []) => ({ type: 'source', url, title: url.toUpperCase(), cites });
const items = [
  say('😀 '),
  { type: 'tool-call', toolName: 'web_search', toolCallId: 's1', args: { query: 'rain' }, providerExecuted: true },
  { type: 'tool-result', result: [{ url: 'a' }] },
  page('a', [{ start: 3, end: 7, text: 'Rain' }, { start: 0, end: 1, text: 'wrong' }]),
  say('Rain.'),
  { type: 'tool-call', toolName: 'own', toolCallId: 'o1', args: {} },
  page('a', [{ start: 0, end: 2, text: 'Ok' }]),
  page('b'),
  say('Ok'),
];

export default async ({ $ }) => {
  $`scenario`;
  let ran = 0;
  const { result, prompt } = await runPrompt(({ defWebSearch, defTool, $ }) => {
    defWebSearch({ else: () => { ran += 1; } });
    defTool('own', 'Own', { type: 'object' }, () => 'done');
    $`go`;
  }, { model: createMockModel(items) });
  const kinds = [];
  for await (const part of result.fullStream) {
    if (part.type === 'source') print(part);
    kinds.push(part.type);
  }
  print(kinds.filter((kind) => kind.startsWith('tool-call') || kind === 'tool-result' || kind === 'source'));
  const steps = await result.steps;
  print(steps.map((step) => step.toolCalls.map((one) => [one.toolCallId, one.providerExecuted ?? false])));
  print(steps.map((step) => step.toolResults.map((one) => [one.toolCallId, one.input, one.output, one.providerExecuted ?? false])));
  print(steps.map((step) => step.sources));
  print(await result.sources);
  print(prompt.steps[1].input.prompt.map((message) => [message.role, message.content.map((part) => part.type)]));
  print([ran, steps.length, steps.every((step) => step.sources.every((source) => source.cites.every(({ start, end, text }) => step.text.slice(start, end) === text)))]);
};
