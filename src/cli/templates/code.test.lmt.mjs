import { expect, run, test } from 'lmthing/test';

test('computes the price in code', async () => {
  // The mock answers, also when the file names a real model.
  const answer = await run('./code.lmt.mjs', { model: 'mock' });

  expect(answer).toHaveCalledTool('runToolCode');
  expect(answer.text).toContain('10.80');
});
