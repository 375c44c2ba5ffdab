// Shows how a test keeps a prompt cacheable: it fails when a change makes requests differ from those before.
//
//   lmthing test examples/prompt-cache.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('requests repeat those before', async () => {
  const answer = await run('./prompt-cache.lmt.mjs');

  expect(answer).toHaveCalledTools(['note', 'note']);
  expect(answer).toReuse({ min: 0.95 });
});
