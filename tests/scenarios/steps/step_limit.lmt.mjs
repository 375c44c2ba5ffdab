// A run that never stops calling tools ends with an error after 1000 steps.

import { runPrompt } from 'lmthing';
import { z } from 'zod';
import { callTurn, failure, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let n = 0;
  const model = { doStream: async () => ({ stream: (async function* () { yield* callTurn(['p', {}, `c${n++}`]); })() }) };
  const { result, prompt } = await runPrompt(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; }, { model });
  const message = await failure(() => result.text);
  print([message.includes('1000'), prompt.steps.length]);
};
