import { expect, run, test } from 'lmthing/test';

test('works through its tasks in order', async () => {
  // The mock answers, also when the file names a real model.
  const answer = await run('./tasks.lmt.mjs', { model: 'mock' });

  expect(answer).toHaveCalledTools([
    ['startTask', { taskId: 'outline' }],
    ['completeTask', { taskId: 'outline' }],
    ['startTask', { taskId: 'draft' }],
    ['completeTask', { taskId: 'draft' }],
  ]);
  // The text of the last step.
  expect(answer.text).toBe('Both tasks are done.');
});
