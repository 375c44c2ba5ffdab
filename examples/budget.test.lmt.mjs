// Shows how a run that fails is tested: run() resolves, and says how.
//
//   lmthing test examples/budget.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('ends at its limit of tokens', async () => {
  const answer = await run('./budget.lmt.mjs');

  expect(answer.error).toMatchObject({ code: 4, kind: 'limit', message: expect.stringContaining('4500 tokens') });
  expect(answer.usage.totalTokens).toBe(5000);
  expect(answer).toCost({ max: 0 });
  expect(answer.toolCalls.map(({ input }) => input.depth)).toEqual([1, 2, 3, 4, 5]);
});
