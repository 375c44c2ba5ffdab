// What a model object of the AI SDK cannot be asked for is named in a warning, and its searches are counted.

import { runPrompt } from 'lmthing';
import { print, say } from './helpers.mjs';

const price = (webSearch) => ({ input: 0, output: 0, webSearch });
const providers = ['openai.responses', 'anthropic.messages', 'xai.responses', 'google.generative-ai', 'groq.chat'];
const prices = Object.fromEntries(providers.map((provider) => [`${provider}:m`, price(1000)]));

export const config = { model: 'mock', prices: { ...prices, 'groq.chat:free': price(0) } };
export const mock = [say('')];

const text = [{ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'yes' }, { type: 'text-end', id: 't' }];
const search = (id, action) => [
  { type: 'tool-call', toolCallId: id, toolName: 'web_search', input: '{}', providerExecuted: true },
  { type: 'tool-result', toolCallId: id, toolName: 'web_search', result: { action } },
];
const grounding = (...webSearchQueries) => ({ google: { groundingMetadata: { webSearchQueries } } });

const ask = async (provider, parts, providerMetadata, define, modelId = 'm') => {
  let got;
  const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };
  const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage, providerMetadata };
  const doStream = (options) => {
    got = options;
    return { stream: ReadableStream.from([...parts, ...text, finish]) };
  };
  const model = { specificationVersion: 'v4', provider, modelId, doStream };
  const { result } = await runPrompt((prompt) => {
    define(prompt);
    prompt.$`go`;
  }, {
    model,
    options: {
      headers: { a: '1' },
      providerOptions: { [provider.split('.')[0]]: { user: 'me', body: { x: 1 }, query: { y: 2 }, headers: { b: '2' } }, lab: { headers: { c: '3' } } },
    },
  });
  const [step] = await result.steps;
  print([provider, step.usage.webSearches ?? null, step.cost]);
  print(step.warnings.map((warning) => warning.setting));
  print([got.headers, got.providerOptions, got.tools.map((tool) => tool.args)]);
};

const location = { city: 'Oban' };
const all = ({ defWebSearch }) => defWebSearch({ allowedDomains: ['a.com'], maxUses: 2, location });
const blocked = ({ defWebSearch }) => defWebSearch({ blockedDomains: ['b.com'] });

export default async ({ $ }) => {
  $`scenario`;
  await ask('openai.responses', [...search('1', { type: 'search' }), ...search('2', { type: 'openPage' })], {}, all);
  await ask('anthropic.messages', search('1'), {}, all);
  await ask('xai.responses', [], {}, all);
  await ask('google.generative-ai', [], grounding('a', 'b', 'a'), all);
  await ask('google.generative-ai', [], { google: { groundingMetadata: null } }, blocked);
  await ask('google.generative-ai', [], undefined, blocked);
  await ask('groq.chat', [], undefined, blocked);
  await ask('groq.chat', [], undefined, blocked, 'free');
  const own = { type: 'mcp', server_label: 'x', headers: { x_api_key: 'a_b' }, require_approval: { never: { tool_names: ['a_b'] } } };
  await ask('openai.responses', [], {}, ({ defProviderTool }) => defProviderTool('mcp', { openai: own }));
};
