// Every property of the result can be awaited.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = createMockModel([say('look '), call('p', { a: 1 }), say('done')], { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } });
  const { result } = await runPrompt(async ({ defTool, $ }) => { defTool('p', 'P', z.object({ a: z.number() }), () => 'r'); $`go`; }, { model });
  print([await result.text, await result.finishReason, (await result.steps).length, await result.toolCalls, await result.toolResults]);
  const [first] = await result.steps;
  print([first.text, first.finishReason, first.toolCalls.map((c) => [c.toolName, c.input]), first.toolResults.map((r) => [r.toolName, r.output])]);
  const u = await result.usage; const t = await result.totalUsage;
  print([u.inputTokens, u.outputTokens, u.totalTokens, t.inputTokens, t.outputTokens, t.totalTokens, typeof (await result.response)]);
};
