// Shows how a prompt file with input and output is tested.
//
//   lmthing test examples/typed.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

/** What the model was asked. */
const question = ({ steps }) => steps[0].input.prompt.at(-1).content[0].text;

test('asks for what it was given', async () => {
  const answer = await run('./typed.lmt.mjs', { input: { city: 'Rome', tags: ['rain', 'wind'] } });

  expect(question(answer)).toBe('How will the weather be in Rome for the next 3 days? Tell of rain, wind.');
  expect(answer.output).toEqual({ summary: expect.any(String), celsius: 24 });
});

test('refuses what its schema does', async () => {
  const answer = await run('./typed.lmt.mjs', { input: { city: 'Rome', days: 0 } });

  expect(answer.error).toMatchObject({ kind: 'usage', message: expect.stringContaining('--days') });
});

test('an answer of another shape is no answer', async () => {
  const mock = [{ type: 'text', text: 'It will be sunny.' }];
  const answer = await run('./typed.lmt.mjs', { input: { city: 'Rome' }, mock });

  expect(answer.error?.kind).toBe('output');
});
