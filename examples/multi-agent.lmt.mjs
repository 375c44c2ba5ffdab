// Shows agents: tools that run a prompt of their own. The callback sets up the child prompt, which has every method a
// prompt has; what the child's model answers is the tool's result. The child's steps are kept apart from the parent's.
//
// The agents here have scripted models of their own; without `model` an agent uses its parent's.
//
//   lmthing run examples/multi-agent.lmt.mjs

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

export const mock = [
  { type: 'tool-call', toolCallId: 'call_1', toolName: 'researcher', args: { topic: 'the number zero' } },
  { type: 'tool-call', toolCallId: 'call_2', toolName: 'critic', args: { draft: 'Zero is an Arabic invention.' } },
  { type: 'text', text: 'Zero was first used in India and came to Europe by way of Arabic mathematics.' },
];

// The researcher's model calls a tool of its own, then answers; the critic's answers at once.
const researchModel = createMockModel([
  { type: 'tool-call', toolCallId: 'search_1', toolName: 'search', args: { query: 'history of zero' } },
  { type: 'text', text: 'Zero came to Europe by way of Arabic mathematics.' },
]);
const criticModel = createMockModel([{ type: 'text', text: 'Name the Indian origin as well.' }]);

/** @type {import('lmthing').Config} */
export const config = {
  model: 'mock',
  options: {
    // Called after every step of this prompt, not of its agents.
    onStepFinish: ({ stepNumber, toolResults }) => {
      for (const { toolName, output } of toolResults) console.log(`step ${stepNumber}, ${toolName}: ${output}`);
    },
  },
};

/** @type {import('lmthing').PromptFunction} */
export default async ({ defAgent, $ }) => {
  defAgent(
    'researcher',
    'Finds out facts about a topic.',
    z.object({ topic: z.string() }),
    async ({ topic }, { defTool, $ }) => {
      defTool('search', 'Searches the library.', z.object({ query: z.string() }), ({ query }) => {
        console.log(`  the researcher searches for ${query}`);
        return ['A History of Mathematics'];
      });
      $`Find out about ${topic}.`;
    },
    { model: researchModel, system: 'You are a librarian.' },
  );

  defAgent(
    'critic',
    'Says what is missing in a draft.',
    z.object({ draft: z.string() }),
    async ({ draft }, { def, $ }) => {
      const text = def('DRAFT', draft);
      $`What is missing in ${text}?`;
    },
    { model: criticModel },
  );

  $`Write one sentence about the number zero.`;
};
