// Shows defFunctionAgent: a function that is answered by a child prompt. The code that the parent model writes gets the
// child's answer as typed data, because the response schema says what it looks like.
//
//   lmthing run examples/function-agent.lmt.mjs

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  { type: 'tool-call', toolCallId: 'c1', toolName: 'runToolCode', args: {
    code: [
      'const [sea, sky] = await Promise.all([research({ topic: "sea" }), research({ topic: "sky" })]);',
      'const best = sea.confidence >= sky.confidence ? sea : sky;',
      'return best.findings.join("; ");',
    ].join('\n'),
  } },
  { type: 'text', text: 'I am surest of this: waves are made by wind.' },
];

// Both children answer from this one script, in the order they are asked.
const researcher = createMockModel([
  { type: 'text', text: '{"findings": ["waves are made by wind"], "confidence": 0.9}' },
  { type: 'finish' },
  { type: 'text', text: '```json\n{"findings": ["the sky scatters blue light"], "confidence": 0.8}\n```' },
]);

export default async ({ defFunctionAgent, $ }) => {
  defFunctionAgent(
    'research',
    'Researches a topic in depth',
    z.object({ topic: z.string() }),
    async ({ topic }, child) => {
      child.defSystem('role', 'You are a careful researcher.');
      child.$`Research: ${topic}`;
    },
    {
      model: researcher,
      responseSchema: z.object({ findings: z.array(z.string()), confidence: z.number().min(0).max(1) }),
    },
  );

  $`What do you know best about the sea and the sky?`;
};
