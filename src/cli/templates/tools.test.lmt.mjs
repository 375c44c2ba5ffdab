import { expect, run, test } from 'lmthing/test';

test('looks up what it is asked for', async () => {
  // The mock answers, also when the file names a real model.
  const answer = await run('./tools.lmt.mjs', { model: 'mock' });

  expect(answer).toHaveCalledTools([['stock', { product: 'tea' }], ['stock', { product: 'cups' }]]);
  expect(answer.toolCalls[1].output).toEqual({ product: 'cups', count: 0 });
  expect(answer.text).toContain('12');
});
