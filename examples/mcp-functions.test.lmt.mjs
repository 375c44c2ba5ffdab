import { expect, run, test } from 'lmthing/test';

test('a wrong call is refused, and the right one counts lines', async () => {
  const done = await run('./mcp-functions.lmt.mjs');
  const [wrong, right] = done.toolCalls.map((call) => call.output);
  expect(wrong.success).toBe(false);
  expect(right.result).toEqual(['shopping.txt: 1', 'tasks.txt: 2']);
});
