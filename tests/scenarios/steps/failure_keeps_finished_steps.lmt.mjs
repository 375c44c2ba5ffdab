// After a failure the finished steps can still be looked at.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result, prompt } = await runPrompt(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; }, { model: createMockModel([say('one '), call('p'), say('two'), { type: 'error', error: 'gone' }]) });
  const message = await failure(() => result.steps);
  print([message.includes('gone'), prompt.steps.length, prompt.steps[0].output.content.map((p) => p.type)]);
};
