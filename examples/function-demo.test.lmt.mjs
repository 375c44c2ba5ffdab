// Shows how code mode is tested: by the code that the model writes and what comes of it.
//
//   lmthing test examples/function-demo.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

const answerTo = (file, code) => {
  const mock = [{ type: 'tool-call', toolName: 'runToolCode', args: { code } }, { type: 'text', text: 'Done.' }];
  return run(file, { mock });
};

test('code that is wrong never runs', async () => {
  const { toolCalls } = await run('./function-demo.lmt.mjs');

  expect(JSON.stringify(toolCalls[0].output)).toContain("Type 'number' is not assignable to type 'string'");
});

test('functions are called from code', async () => {
  const { toolCalls } = await answerTo('./function-demo.lmt.mjs', 'return (await getPrice({ product: "pot" })).cents;');

  expect(JSON.stringify(toolCalls[0].output)).toContain('2500');
});

test('agents are functions too', async () => {
  const code = 'return (await research({ topic: "sea" })).confidence;';
  const answer = await answerTo('./function-agent.lmt.mjs', code);

  expect(JSON.stringify(answer.toolCalls[0].output)).toContain('0.9');
});

test('code in the middle of the text is replaced by its value', async () => {
  const { text } = await run('./methods.lmt.mjs');

  expect(text).toBe('The account belongs to <code_response>user 7, a member since 2019</code_response>');
});
