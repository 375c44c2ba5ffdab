// fullSteps[i].input is the whole request as sent, also for a mock: messages, tools with JSON Schema, settings that are set.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const options = { temperature: 0.5, maxOutputTokens: 100, toolChoice: 'required', stopSequences: ['x'] };
  const { prompt } = await drive(async ({ defSystem, defTool, $ }) => {
    defSystem('role', 'R');
    defTool('add', 'Adds', z.object({ a: z.number() }), ({ a }) => a + 1);
    $`go`;
  }, [call('add', { a: 1 }), say('ok')], { options });
  const [first, second] = prompt.fullSteps.map((step) => step.input);
  print(Object.keys(first));
  print([first.temperature, first.maxOutputTokens, first.toolChoice, first.stopSequences]);
  print(first.tools);
  print([first.prompt.map((m) => m.role), second.prompt.map((m) => m.role), second.tools.length]);
};
