// prompt.steps shows finished steps while the run is still going.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let prompt;
  const seen = [];
  const started = await runPrompt(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => { seen.push(prompt.steps.length); return 1; }); $`go`; },
    { model: createMockModel([call('p'), call('p', {}, 'c2'), say('ok')], { delay: 2 }) });
  prompt = started.prompt;
  await started.result.text;
  print([seen, prompt.steps.length]);
};
