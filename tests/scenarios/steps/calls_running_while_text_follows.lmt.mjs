// Text after a call in the same answer is kept; calls are listed before the text.

import { z } from 'zod';
import { drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; }, scripted([
    { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'before ' }, { type: 'text-end', id: '0' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'p', input: '{}' },
    { type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: 'after' }, { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: 'tool-calls', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
  ], textTurn('ok')));
  print(steps[0].output.content.map((p) => p.type + ':' + (p.text ?? p.toolName)));
};
