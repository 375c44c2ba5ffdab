// Breaking off a stream early leaves the run going.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result, prompt } = await runPrompt(async ({ $ }) => { $`go`; }, { model: createMockModel([say('a'), say('b'), say('c')]) });
  for await (const piece of result.textStream) { print(piece); break; }
  print([await result.text, prompt.steps.length]);
};
