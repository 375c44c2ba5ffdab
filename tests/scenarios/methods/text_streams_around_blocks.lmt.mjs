// Text streams as it comes, held back by no more than the beginning of a tag; code is never streamed.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const pieces = ['a ', 'b <run', 's c', ' <run_code>await tick({});', '</run_code>', 'd', ' <run_code>return 1;</run_code>e'];
  const { result } = await runPrompt(({ defMethod, $ }) => {
    defMethod('tick', 'Ticks', z.object({}), () => { log.push('TICK'); });
    $`go`;
  }, { model: createMockModel(pieces.map(say), { delay: 30 }) });
  for await (const text of result.textStream) log.push(text);
  print(log);
  print(await result.text);
};
