import { expect, run, test } from 'lmthing/test';

test('has its draft reviewed', async () => {
  // The mock answers, also when the file names a real model.
  const answer = await run('./agent.lmt.mjs', { model: 'mock' });

  expect(answer).toHaveCalledTool('review', { draft: 'Zero is an Arabic invention.' });
  expect(answer.text).toContain('India');
});
