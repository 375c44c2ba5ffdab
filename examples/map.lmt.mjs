// Shows a prompt file that is run once for each row of a table. The columns of map.rows.csv are the properties of its input; each
// result is a line of JSON, and the same command again runs only what is left.
//
//   lmthing map examples/map.lmt.mjs --input examples/map.rows.csv -o results.jsonl
//   lmthing map examples/map.lmt.mjs --input examples/map.rows.csv -f csv
//   lmthing run examples/map.lmt.mjs 'I cannot log in.'

import { z } from 'zod';

export const description = 'Says which of our teams a message is for.';

export const input = z.object({
  message: z.string().describe('What the customer writes'),
  language: z.enum(['en', 'de', 'fr']).default('en'),
  urgent: z.boolean().optional(),
});

export const output = z.object({ team: z.enum(['billing', 'support', 'sales']), summary: z.string() });

export const config = { model: 'mock' };

export const mock = [{ type: 'text', text: '{"team":"support","summary":"The customer cannot log in."}' }];

/** @type {import('lmthing').PromptFunction<typeof input>} */
export default ({ defSystem, $ }, { message, language, urgent }) => {
  defSystem('role', `You sort messages of customers. The message is in ${language}${urgent ? ' and is urgent' : ''}.`);
  $`${message}`;
};
