// A provider failure of an inner run that is not caught ends with code 3.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'outer' }];
export default async ({ $ }) => {
  const { result } = await runPrompt(async ({ $ }) => { $`q`; }, { model: createMockModel([{ type: 'error', error: 'inner broke' }]) });
  await result.text;
  $`x`;
};
