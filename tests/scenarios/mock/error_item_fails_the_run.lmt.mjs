// An error item rejects the run; what came before stays in the stream.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result } = await runPrompt(async ({ $ }) => { $`go`; }, { model: createMockModel([say('half '), { type: 'error', error: 'line went dead' }]) });
  const pieces = [];
  const message = await failure(async () => { for await (const piece of result.textStream) pieces.push(piece); });
  print(message.includes('line went dead'));
  print([pieces, (await failure(() => result.text)).includes('line went dead')]);
};
