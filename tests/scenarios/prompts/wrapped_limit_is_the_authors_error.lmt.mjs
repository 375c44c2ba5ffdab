// An error of the author's own with a limit as its cause ends with code 1.

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
  try { await result.text; } catch (cause) { throw new Error('mine', { cause }); }
};
