// Shows a test whose input is a text.
//
//   lmthing test examples/summarize.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('summarizes what it is given', async () => {
  const answer = await run('./summarize.lmt.mjs', { input: { text: 'Three cats sat here.', maxWords: 20 } });

  expect(answer).toHaveSystem('in at most 20 words');
  expect(answer).toHaveSystem('Three cats sat here.');
  expect(answer.text).toContain('cats');
});

test('needs a text', async () => {
  const { error } = await run('./summarize.lmt.mjs');

  expect(error?.message).toMatch('missing required input: --text');
});
