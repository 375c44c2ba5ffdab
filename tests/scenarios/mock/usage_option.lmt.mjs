// The usage option is reported on every turn and summed up.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = createMockModel([call('p'), say('x')], { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } });
  const { result } = await drive(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; }, model);
  const [u, t] = [await result.usage, await result.totalUsage];
  print([u.inputTokens, u.outputTokens, u.totalTokens, t.inputTokens, t.outputTokens, t.totalTokens]);
};
