// Shows a test of a file that prints an answer while it comes.
//
//   lmthing test examples/partial-output.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('sees each step of the recipe once', async () => {
  const answer = await run('./partial-output.lmt.mjs');

  const asked = JSON.stringify(answer.steps[0].input.prompt);
  expect(asked).toContain('Which of these 3 steps needs more time? Mix the batter, Let it rest, Bake');
  expect(answer.text).toBe('Let it rest overnight.');
});
