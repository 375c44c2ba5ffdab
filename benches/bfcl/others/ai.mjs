// The AI SDK: as many tool steps of a mock model as the argument says, then a sentence.
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const steps = Number(process.argv[2]);
let asked = 0;
let sum = 0;

const tokens = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
const answer = (content, reason) => ({
  content: [content],
  finishReason: { unified: reason, raw: reason },
  usage: { inputTokens: tokens, outputTokens: tokens },
  warnings: [],
});
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    asked += 1;
    return asked > steps
      ? answer({ type: 'text', text: 'Hello there.' }, 'stop')
      : answer({ type: 'tool-call', toolCallId: `c${asked}`, toolName: 'count', input: '{"by":1}' }, 'tool-calls');
  },
});
const count = tool({
  description: 'Counts.',
  inputSchema: z.object({ by: z.number() }),
  execute: async ({ by }) => ({ sum: (sum += by) }),
});
const { text } = await generateText({ model, tools: { count }, prompt: 'go', stopWhen: stepCountIs(steps + 1) });
if (sum !== steps) throw new Error(`${sum} of ${steps} calls were made`);
console.log(text);
