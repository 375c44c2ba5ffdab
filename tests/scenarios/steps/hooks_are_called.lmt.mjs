// onStepFinish is called after every step, onFinish once at the end with all steps.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 'r'); $`go`; }, [say('a'), call('p'), say('b')], { options: {
    onStepFinish: async (s) => { log.push(['step', s.text, s.finishReason, s.toolCalls.length, s.toolResults.length]); },
    onFinish: (f) => { log.push(['finish', f.text, f.steps.length]); },
  } });
  print(log);
};
