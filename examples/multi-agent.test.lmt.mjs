// Shows how agents are tested: their calls stand among those of the run, each with the path of the agent that made it.
//
//   lmthing test examples/multi-agent.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

test('the researcher searches, the critic reads the draft', async () => {
  const answer = await run('./multi-agent.lmt.mjs');

  // Some call of the run, those of agents included.
  expect(answer).toHaveCalledTool('search', { query: expect.stringContaining('zero') });
  // The calls of the prompt itself, in order.
  expect(answer).toHaveCalledTools(['researcher', ['critic', { draft: 'Zero is an Arabic invention.' }]]);
  expect(answer.toolCalls.map(({ toolName, agent }) => [...agent, toolName].join(' > '))).toEqual([
    'researcher',
    'researcher > search',
    'critic',
  ]);
  expect(answer.text).toContain('India');
});
