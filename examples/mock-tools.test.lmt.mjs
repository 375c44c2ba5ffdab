// Shows how calls of tools are tested, and models whose calls are wrong.
//
//   lmthing test examples/mock-tools.test.lmt.mjs

import { describe, expect, run, test } from 'lmthing/test';

test('a call that the schema refuses is answered with an error', async () => {
  const answer = await run('./mock-tools.lmt.mjs');

  expect(answer).toHaveCalledTools([['add', { b: 'three' }], ['add', { a: 2, b: 3 }]]);
  expect(answer.toolCalls[0].output.error).toContain('expected number');
  expect(answer.toolCalls[1].output).toEqual({ sum: 5 });
});

describe('any two numbers', () => {
  test.each([
    { a: 1, b: 1, sum: 2 },
    { a: -1, b: 1, sum: 0 },
    { a: 0.5, b: 0.25, sum: 0.75 },
  ])('$a + $b is $sum', async ({ a, b, sum }) => {
    const answer = await run('./mock-tools.lmt.mjs', {
      mock: [{ type: 'tool-call', toolName: 'add', args: { a, b } }, { type: 'text', text: 'Done.' }],
    });

    expect(answer.toolCalls[0].output).toEqual({ sum });
  });
});

test('a tool that is not there does not end the run', async () => {
  const answer = await run('./mock-tools.lmt.mjs', {
    mock: [{ type: 'tool-call', toolName: 'subtract', args: {} }, { type: 'text', text: 'I cannot do that.' }],
  });

  expect(answer.error).toBeUndefined();
  expect(answer.text).toBe('I cannot do that.');
});
