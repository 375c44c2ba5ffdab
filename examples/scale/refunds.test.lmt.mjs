// Shows that a prompt file for workers is tested as any other.
//
//   lmthing test examples/scale

import { expect, run, test } from 'lmthing/test';

test('pays small sums back', async () => {
  const answer = await run('./refunds.lmt.mjs', { input: { order: 17, euros: 30 } });

  expect(answer).toHaveCalledTool('refund');
  expect(answer.text).toBe('I have seen to it.');
});
