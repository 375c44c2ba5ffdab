// Shows an agent whose answer has a shape: responseSchema tells the child which JSON to write and checks what it wrote.
// A JSON answer in a code fence is accepted. When the answer does not match, the parent sees it with a validationError
// and decides what to do; here it asks again.
//
//   lmthing run examples/agent-schema.lmt.mjs

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  { type: 'tool-call', toolCallId: 'call_1', toolName: 'rate', args: { film: 'Metropolis' } },
  { type: 'tool-call', toolCallId: 'call_2', toolName: 'rate', args: { film: 'Metropolis' } },
  { type: 'text', text: 'Metropolis: 9 of 10.' },
];

const Rating = z.object({
  film: z.string().describe('the title'),
  score: z.number().min(0).max(10).describe('how good it is, 10 is best'),
});

// What the child's model answers: the first time without a score, the second time in a code fence.
const reviewer = createMockModel([
  { type: 'text', text: '{"film": "Metropolis"}' },
  { type: 'finish', finishReason: 'stop' },
  { type: 'text', text: '```json\n{"film": "Metropolis", "score": 9}\n```' },
]);

/** @type {import('lmthing').PromptFunction} */
export default async ({ defAgent, defEffect, $ }) => {
  defAgent(
    'rate',
    'Rates a film.',
    z.object({ film: z.string() }),
    async ({ film }, { $ }) => {
      $`Rate the film ${film}.`;
    },
    { model: reviewer, responseSchema: Rating, system: 'You write film reviews.' },
  );

  defEffect(({ lastTool }) => {
    if (!lastTool) return;
    const { output } = lastTool;
    const problem = output.validationError;
    console.log(problem ? `refused: ${problem}` : `accepted: ${output}`);
  });

  $`How good is Metropolis?`;
};
