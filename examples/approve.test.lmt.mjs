// Shows how calls that need approval are tested: nobody is asked in a test, and `approve` says which calls are approved.
//
//   lmthing test examples/approve.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('what nobody approves is not done', async () => {
  const { toolCalls, text } = await run('./approve.lmt.mjs');

  expect(toolCalls[1].output).toEqual({ left: 2 });
  expect(toolCalls[2].output.error).toContain('The call of remove was denied');
  expect(text).toContain('as far as I get');
});

test('what is approved is done', async () => {
  const { toolCalls } = await run('./approve.lmt.mjs', { approve: ['remove'] });

  expect(toolCalls[2].output).toEqual({ left: 0 });
});
