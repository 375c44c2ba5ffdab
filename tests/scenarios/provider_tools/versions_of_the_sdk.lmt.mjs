// Model objects of versions 2, 3 and 4 of the AI SDK's interface get files, tools and settings as their version says.

import { runPrompt } from 'lmthing';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('')];

const ask = async (specificationVersion, provider, withElse) => {
  let got;
  const finishReason = specificationVersion === 'v2' ? 'stop' : { unified: 'stop', raw: 'end' };
  const usage = specificationVersion === 'v2'
    ? { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
    : { inputTokens: { total: 3, cacheRead: 1 }, outputTokens: { total: 4, reasoning: 2 } };
  const parts = [
    { type: 'stream-start', warnings: [{ type: specificationVersion === 'v2' ? 'other' : 'unsupported', feature: 'seed', message: 'no seed', details: `no seed in ${specificationVersion}` }] },
    { type: 'reasoning-start', id: 'r', providerMetadata: { x: { signature: 's' } } }, { type: 'reasoning-delta', id: 'r', delta: 'Hm' }, { type: 'reasoning-end', id: 'r' },
    { type: 'source', sourceType: 'url', id: 'u', url: 'https://a', title: undefined },
    { type: 'source', sourceType: 'document', id: 'd', mediaType: 'application/pdf', title: 'Doc' },
    { type: 'file', mediaType: 'image/png', data: specificationVersion === 'v4' ? { type: 'data', data: new Uint8Array([1, 2]) } : new Uint8Array([1, 2]) },
    { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'yes' }, { type: 'text-end', id: 't' },
    { type: 'unknown-part' },
    { type: 'finish', finishReason, usage },
  ];
  const model = { specificationVersion, provider, modelId: 'm', doStream: (options) => { got = options; return { stream: ReadableStream.from(parts) }; } };
  const { result } = await runPrompt(({ defWebSearch, defMessage }) => {
    defWebSearch({ allowedDomains: ['a.com'], ...(withElse ? { else: () => '' } : {}) });
    defMessage('user', [{ type: 'image', image: 'iVBORw0KGgo=' }, { type: 'file', data: 'https://a.com/b.pdf', mediaType: 'application/pdf' }]);
  }, { model, options: { reasoning: 'high' } });
  const [step] = await result.steps;
  const [image, file] = got.prompt[0].content;
  print([specificationVersion, image.type, image.mediaType, image.data]);
  print([file.type, file.data instanceof URL || (file.data.type === 'url' && file.data.url instanceof URL), got.reasoning ?? null]);
  print(got.tools.map(({ type, id, name, args }) => [type, id ?? null, name, args ?? null]));
  print([step.text, step.reasoningText, step.usage.cachedInputTokens, step.usage.reasoningTokens, step.sources.map(({ url, title, mediaType }) => url ?? [title, mediaType])]);
  print(step.content.map((part) => [part.type, part.data ?? part.text, part.providerOptions ?? null]));
  print(step.warnings.map((warning) => warning.details));
};

export default async ({ $ }) => {
  $`scenario`;
  await ask('v2', 'openai.responses');
  await ask('v3', 'anthropic.messages');
  await ask('v4', 'google.generative-ai');
  await ask('v4', 'mistral.chat', true);
  await ask('v4', 'mistral.chat').catch((error) => print(error.message));
};
