// Shows how single steps are tested: what each was sent.
//
//   lmthing test examples/stateful.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('the system prompt follows the state', async () => {
  const answer = await run('./stateful.lmt.mjs');

  expect(answer).toHaveSystem('<NOTE_COUNT>0</NOTE_COUNT>', { step: 0 });
  expect(answer).toHaveSystem('<NOTE_COUNT>2</NOTE_COUNT>', { step: 2 });
  expect(answer).toHaveSystem('Sum up: the sky is blue; grass is green.', { step: 2 });
  expect(answer).not.toHaveSystem('Sum up', { step: 1 });
});

test('a tool that is not defined again is gone', async () => {
  const { prompt } = await run('./stateful.lmt.mjs');
  const tools = prompt.fullSteps.map((step) => (step.input.tools ?? []).map(({ name }) => name));

  expect(tools).toEqual([['note'], ['note'], []]);
});
