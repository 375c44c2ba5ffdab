// Shows the smallest test: a prompt file is run with its mock, and the run is looked at.
//
//   lmthing test examples/mock-demo.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('says hello', async () => {
  const answer = await run('./mock-demo.lmt.mjs');

  expect(answer.text).toMatch(/^Hello, World!/);
  expect(answer).toHaveSystem('You are a friendly assistant.');
  expect(answer.steps).toHaveLength(1);
});

test('says what the mock of the test says', async () => {
  const answer = await run('./mock-demo.lmt.mjs', { mock: [{ type: 'text', text: 'Good evening.' }] });

  expect(answer.text).toBe('Good evening.');
});
