import { expect, run, test } from 'lmthing/test';

test('answers in the shape of its output', async () => {
  // The mock answers, also when the file names a real model.
  const input = { text: 'Good tea, but late.', language: 'English' };
  const review = await run('./typed.lmt.mjs', { model: 'mock', input });

  expect(review.output).toEqual({ mood: 'mixed', topics: ['taste', 'delivery'], summary: 'Good tea, late delivery.' });
  expect(review).toHaveSystem('English');
});
