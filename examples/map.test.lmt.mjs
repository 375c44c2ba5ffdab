// Shows that a prompt file for `lmthing map` is tested as any other: a row is an input.
//
//   lmthing test examples/map.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test.each([
  { message: 'I cannot log in.', urgent: true },
  { message: 'Ich kann mich nicht anmelden.', language: 'de' },
])('sorts a row: $message', async (input) => {
  const answer = await run('./map.lmt.mjs', { input });

  expect(answer.output).toEqual({ team: 'support', summary: expect.any(String) });
  expect(answer).toHaveSystem(`The message is in ${input.language ?? 'en'}`);
});
