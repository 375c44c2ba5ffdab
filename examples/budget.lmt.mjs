// Shows limits: a model that would go on for ever is stopped, the message says at which limit, and the exit code is 4.
//
//   lmthing run examples/budget.lmt.mjs
//   lmthing run --max-steps 3 examples/budget.lmt.mjs
//
// The limits of the file and those of the command line hold both; the smaller one counts.
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

/** @param {number} depth */
const dig = (depth) => ({ type: /** @type {const} */ ('tool-call'), toolName: 'dig', args: { depth } });

// 100 calls are as good as no end. Each answer says that it used 1000 tokens.
const calls = Array.from({ length: 100 }, (_, index) => dig(index + 1));
const model = createMockModel(calls, { usage: { inputTokens: 900, outputTokens: 100 } });

export const config = {
  model,
  limits: { steps: 50, tokens: 4500, time: '30s' },
};

/** @type {import('lmthing').PromptFunction} */
export default async ({ $, defTool }) => {
  defTool('dig', 'Digs a hole.', z.object({ depth: z.number() }), ({ depth }) => {
    console.log(`${depth} m deep`);
    return 'nothing but earth';
  });
  $`Dig until you find gold.`;
};
