// Agents nested deeper than 16 are refused with a clear error, and everything above answers.

import { tool } from 'lmthing';
import { z } from 'zod';
import { callTurn, drive, print, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let deepest = 0; let refusal;
  const level = (n) => (args, child) => {
    deepest = Math.max(deepest, n);
    child.defAgent('next', 'N', z.object({}), level(n + 1));
    child.$`level ${n}`;
  };
  const model = { doStream: async ({ prompt }) => {
    const tool = prompt.findLast((m) => m.role === 'tool');
    if (tool?.content[0].output.type === 'error-json') refusal = tool.content[0].output.value.error;
    return { stream: (async function* () { yield* tool ? textTurn('up') : callTurn(['next', {}, 'c']); })() };
  } };
  const { text } = await drive(async ({ defAgent, $ }) => { defAgent('next', 'N', z.object({}), level(1)); $`go`; }, model);
  print([text, deepest, refusal.includes('16')]);
};
