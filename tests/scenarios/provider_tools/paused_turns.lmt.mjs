// A turn that its provider pauses is sent back as it is, and goes on within the same step; five times at most.

import { runPrompt } from 'lmthing';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('')];

const search = (id) => [
  { type: 'tool-call', toolCallId: id, toolName: 'web_search', input: '{"query":"x"}', providerExecuted: true },
  { type: 'tool-result', toolCallId: id, toolName: 'web_search', result: ['found'] },
];
const text = (text) => [{ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: text }, { type: 'text-end', id: '0' }];
const finish = (raw) => ({ type: 'finish', finishReason: { unified: 'stop', raw }, usage: { inputTokens: { total: 10 }, outputTokens: { total: 3 } } });

/** A model that plays one list of parts for each request. */
const model = (answers) => {
  const prompts = [];
  return {
    specificationVersion: 'v4', provider: 'anthropic.messages', modelId: 'm', prompts,
    doStream: ({ prompt }) => {
      prompts.push(prompt);
      const parts = answers[Math.min(prompts.length, answers.length) - 1];
      return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts]) };
    },
  };
};

const ask = async (answers) => {
  const asked = model(answers);
  const { result } = await runPrompt(({ defWebSearch, $ }) => { defWebSearch(); $`go`; }, { model: asked });
  const finishes = [];
  for await (const part of result.fullStream) if (part.type === 'finish-step') finishes.push(part.usage.outputTokens);
  const steps = await result.steps;
  print([steps.length, await result.text, steps[0].usage.inputTokens, steps[0].usage.webSearches ?? 0, finishes]);
  print(asked.prompts.map((prompt) => prompt.map((message) => `${message.role}:${message.content.map((part) => part.type)}`)));
};

export default async ({ $ }) => {
  $`scenario`;
  await ask([[...search('s1'), ...text('One. '), finish('pause_turn')], [...search('s2'), ...text('Two.'), finish('end_turn')]]);
  await ask([[...text('Only text.'), finish('pause_turn')], [...text('never'), finish('end_turn')]]);
  await ask([[...search('s1'), ...text('x'), finish('pause_turn')]]);
};
