// Shows a tool: a name, a description for the model, a zod schema for the arguments, and the function that runs.
//
// The mock plays a model that calls the tool twice, once with an argument the schema refuses. That call does not end the
// run: the model gets an error as the tool's result and can try again.
//
//   lmthing run examples/mock-tools.lmt.mjs

import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [
  { type: 'text', text: 'Adding 2 and 3.\n' },
  { type: 'tool-call', toolCallId: 'call_1', toolName: 'add', args: { a: 2, b: 'three' } },
  { type: 'text', text: 'That was no number; once more.\n' },
  { type: 'tool-call', toolCallId: 'call_2', toolName: 'add', args: { a: 2, b: 3 } },
  { type: 'text', text: 'The sum is 5.' },
];

/** @type {import('lmthing').PromptFunction} */
export default async ({ defTool, $ }) => {
  defTool(
    'add',
    'Adds two numbers.',
    z.object({ a: z.number().describe('the first summand'), b: z.number().describe('the second summand') }),
    ({ a, b }) => {
      console.log(`add(${a}, ${b})`);
      return { sum: a + b };
    },
  );
  $`How much is 2 + 3? Use the tool.`;
};
