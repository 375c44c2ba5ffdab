// A provider failure of an inner run whose result is not read never exits 0.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'outer' }];
export default async ({ $ }) => {
  await runPrompt(async ({ $ }) => { $`q`; }, { model: createMockModel([{ type: 'error', error: 'unseen break' }]) });
  $`x`;
};
