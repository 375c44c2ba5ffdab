// An agent: a tool that runs a prompt of its own, with its own system prompt, tools and steps. The model that calls it
// sees only the answer.
//
//   lmthing run agent.lmt.mjs
//   lmthing run -m openai:gpt-6.1-sol agent.lmt.mjs    a real model; needs OPENAI_API_KEY, in the environment or in .env

import { z } from 'zod';

// 'mock' plays the answers below, without a key or a network. `lmthing models` lists the real ones.
export const config = { model: 'mock' };

// Whose turn it is takes the next item: the agent does between the call and the answer of the prompt below.
export const mock = [
  { type: 'tool-call', toolName: 'review', args: { draft: 'Zero is an Arabic invention.' } },
  { type: 'text', text: '{"verdict": "wrong", "reason": "Zero comes from India."}' },
  { type: 'finish' },
  { type: 'text', text: 'Zero was invented in India and came to Europe by way of Arabic mathematics.' },
];

const Review = z.object({ verdict: z.enum(['right', 'wrong']), reason: z.string() });

/** @type {import('lmthing').PromptFunction} */
export default async ({ defAgent, defEffect, $ }) => {
  defAgent(
    'review',
    'Checks the facts of a draft.',
    z.object({ draft: z.string() }),
    // Runs once a call: it sets up the agent's prompt, which has every method a prompt has.
    async ({ draft }, { def, $ }) => {
      const text = def('DRAFT', draft);
      $`Are the facts in ${text} right?`;
    },
    // Without `model` an agent has that of its caller. The schema is the shape of its answer.
    { system: 'You are a strict editor.', responseSchema: Review },
  );

  // Before each step: shows what the agent found.
  defEffect(({ lastTool }) => {
    if (lastTool) console.error('review:', lastTool.output);
  });

  $`Write one sentence about the number zero, and have it reviewed first.`;
};
