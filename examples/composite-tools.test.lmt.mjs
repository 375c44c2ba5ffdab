// Shows how a tool that holds several is tested.
//
//   lmthing test examples/composite-tools.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('a call that fails stops none of the others', async () => {
  const answer = await run('./composite-tools.lmt.mjs');
  const { results } = answer.toolCalls[0].output;

  expect(results.map(({ name }) => name)).toEqual(['write', 'read', 'read', 'read', 'remove']);
  expect(results[1].result).toBe('HELLO');
  expect(results[3].result).toMatchObject({ error: 'there is no b.txt' });
});
