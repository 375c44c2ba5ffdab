// runPrompt inside a prompt file does not print its text; the file's own answer is printed.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'outer' }];
export default async ({ def, $ }) => {
  const { result } = await runPrompt(async ({ $ }) => { $`inner question`; }, { model: createMockModel([{ type: 'text', text: 'inner' }]) });
  def('INNER', await result.text);
  console.error('inner said', await result.text);
  $`x`;
};
