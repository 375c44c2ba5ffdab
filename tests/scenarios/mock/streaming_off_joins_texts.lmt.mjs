// With streaming: false consecutive texts arrive in one piece.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result } = await runPrompt(async ({ $ }) => { $`go`; }, { model: createMockModel([say('a'), say('b')], { streaming: false }) });
  const pieces = [];
  for await (const piece of result.textStream) pieces.push(piece);
  print(pieces);
};
