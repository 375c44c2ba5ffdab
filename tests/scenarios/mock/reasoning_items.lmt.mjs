// Reasoning is separate from the text.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result, text } = await drive(async ({ $ }) => { $`go`; }, [{ type: 'reasoning', text: 'hmm' }, say('yes')]);
  print([text, await result.reasoningText]);
};
