// Searches of the provider cost `webSearch` of the model's prices; a pause is no step of the limit on steps.

const parts = (raw) => [
  { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: '{"query":"x"}', providerExecuted: true },
  { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: ['found'] },
  { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: raw }, { type: 'text-end', id: '0' },
  { type: 'finish', finishReason: { unified: 'stop', raw }, usage: { inputTokens: { total: 10 }, outputTokens: { total: 3 } } },
];
let requests = 0;

export const config = {
  model: {
    specificationVersion: 'v4', provider: 'anthropic.messages', modelId: 'm',
    doStream: () => {
      requests += 1;
      return { stream: ReadableStream.from(parts(requests === 1 ? 'pause_turn' : 'end_turn')) };
    },
  },
  prices: { 'anthropic.messages:m': { input: 1, output: 1, webSearch: 1000 } },
};

export default ({ defWebSearch, $ }) => {
  defWebSearch();
  $`go`;
};
