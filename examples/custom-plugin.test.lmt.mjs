// Shows how a plugin is tested: through a prompt that uses it.
//
//   lmthing test examples/custom-plugin.test.lmt.mjs

import { createMockModel, expect, run, test } from 'lmthing/test';

const spend = (coins) => ({ type: 'tool-call', toolName: 'spend', args: { coins } });

test('what is left stands in the system prompt', async () => {
  const answer = await run('./custom-plugin.lmt.mjs');

  expect(answer).toHaveSystem('You may still spend 10 of 10 coins.', { step: 0 });
  expect(answer).toHaveSystem('You may still spend 3 of 10 coins.', { step: 2 });
});

test.each([
  [[10], [{ left: 0 }]],
  [[4, 6], [{ left: 6 }, { left: 0 }]],
  [[11], [{ error: expect.stringContaining('only 10 coins are left') }]],
])('spending %j', async (coins, outputs) => {
  const model = createMockModel([...coins.map(spend), { type: 'text', text: 'Done.' }]);
  const { toolCalls } = await run('./custom-plugin.lmt.mjs', { model });

  expect(toolCalls.map(({ output }) => output)).toMatchObject(outputs);
});
