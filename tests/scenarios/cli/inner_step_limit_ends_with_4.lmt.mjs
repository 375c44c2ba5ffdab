// The step limit of an inner run that is not caught ends with code 4.

import { runPrompt } from 'lmthing';
export const config = { model: 'mock' };
export const mock = [];
let n = 0;
const model = { doStream: async () => ({ stream: (async function* () { yield { type: 'tool-call', toolCallId: `c${n++}`, toolName: 'p', input: '{}' }; yield { type: 'finish', finishReason: 'tool-calls', usage: {} }; })() }) };
export default async ({ $ }) => {
  const { result } = await runPrompt(({ defTool, $ }) => { defTool('p', 'P', { type: 'object' }, () => 1); $`x`; }, { model, options: { maxSteps: 3 } });
  await result.text;
};
