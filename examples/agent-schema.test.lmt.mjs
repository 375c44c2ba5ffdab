// Shows how an agent is tested whose answer has a shape.
//
//   lmthing test examples/agent-schema.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('an answer without a score is asked for again', async () => {
  const { toolCalls } = await run('./agent-schema.lmt.mjs');

  expect(toolCalls[0].output).toHaveProperty('validationError', expect.stringContaining('score'));
  expect(JSON.parse(toolCalls[1].output)).toEqual({ film: 'Metropolis', score: 9 });
});
