// What lmthing attaches to its errors counts on no other error.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = createMockModel(Array.from({ length: 5 }, () => ({ type: 'tool-call', toolName: 't', args: {} })));
  const inner = async ({ defTool, $ }) => { defTool('t', 'T', z.object({}), () => 1); $`go`; };
  const { result } = await runPrompt(inner, { model, options: { maxSteps: 2 } });
  const limit = await result.text.catch((error) => error);
  const mine = new Error('mine');
  Object.defineProperties(mine, Object.getOwnPropertyDescriptors(limit));
  throw Object.defineProperty(mine, 'message', { value: 'mine' });
};
