// fullStream carries typed events: text, calls, results and the finish.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result } = await runPrompt(async ({ defTool, $ }) => { defTool('p', 'P', z.object({ n: z.number() }), ({ n }) => n + 1); $`go`; }, { model: createMockModel([say('a'), call('p', { n: 1 }), say('c')]) });
  const events = [];
  for await (const e of result.fullStream) events.push(e);
  const of = (type) => events.filter((e) => e.type === type);
  print([of('text-delta').map((e) => e.text), of('tool-call').map((e) => [e.toolName, e.input]), of('tool-result').map((e) => [e.toolName, e.output]), of('finish').length]);
  print([of('finish')[0].finishReason, events.at(-1).type]);
};
