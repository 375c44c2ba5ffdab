// An error thrown by a re-run rejects the run; finished steps stay visible.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let runs = 0;
  const { result, prompt } = await runPrompt(async ({ defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    runs += 1;
    if (runs === 2) throw new Error('second thoughts');
    $`go`;
  }, { model: createMockModel([say('thinking'), call('ping'), say('ok')]) });
  print(await failure(() => result.text));
  print([prompt.steps.length, prompt.steps[0].output.content.at(-1).text]);
};
