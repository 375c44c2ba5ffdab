// A failure of an inner run can be caught; the file continues.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'outer' }];
export default async ({ $ }) => {
  const { result } = await runPrompt(async ({ $ }) => { $`q`; }, { model: createMockModel([{ type: 'error', error: 'inner broke' }]) });
  try { await result.text; } catch (error) { console.error('caught', error.message); }
  $`x`;
};
