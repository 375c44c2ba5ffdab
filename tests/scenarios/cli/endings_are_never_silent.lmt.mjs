// What an agent or an inner run could not finish is reported too; a warning about the request is reported once.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

const cutOff = createMockModel([{ type: 'text', text: 'cut' }, { type: 'finish', finishReason: 'length' }]);
const warned = {
  provider: 'own',
  modelId: 'picky',
  doStream: async () => ({
    stream: [
      { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'seed' }, { type: 'other', message: 'No cache.' }] },
      { type: 'text-delta', id: '0', delta: 'x' },
      { type: 'finish', finishReason: 'content-filter', usage: { inputTokens: { total: 3.0, cacheWrite: 2 }, outputTokens: '1.5' } },
    ],
  }),
};

export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'helper', args: {} }, { type: 'text', text: 'end' }];

export default async ({ defAgent, $ }) => {
  defAgent('helper', 'helps', z.object({}), (_, { $ }) => {
    $`go`;
  }, { model: cutOff });
  for (const round of [1, 2]) {
    const { result } = await runPrompt(async ({ $ }) => {
      $`${round}`;
    }, { model: warned });
    if (round === 1) console.log(JSON.stringify(await result.usage), JSON.stringify(await result.warnings));
    await result.text;
  }
  $`go`;
};
