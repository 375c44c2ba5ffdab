// textStream gives the pieces of all steps in order; every read starts from the beginning.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result } = await runPrompt(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; }, { model: createMockModel([say('a'), say('b'), call('p'), say('c')]) });
  const read = async () => { const all = []; for await (const piece of result.textStream) all.push(piece); return all; };
  print(await read());
  print(await read());
  print(await result.text);
};
