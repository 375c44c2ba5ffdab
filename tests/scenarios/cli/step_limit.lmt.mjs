// A run that never stops calling tools ends with code 4 after 1000 steps.

let n = 0;
const model = { doStream: async () => ({ stream: (async function* () {
  yield { type: 'tool-call', toolCallId: `c${n++}`, toolName: 'p', input: '{}' };
  yield { type: 'finish', finishReason: 'tool-calls', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
})() }) };
export const config = { model };
export default ({ defTool, $ }) => { defTool('p', 'P', { type: 'object' }, () => 1); $`x`; };
