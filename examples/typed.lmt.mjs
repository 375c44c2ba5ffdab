// Shows a prompt file that is called like a function: input says what it takes, output what it answers. The options of the
// command, its help and its error messages are made from the schema.
//
//   lmthing run examples/typed.lmt.mjs Rome --days 2 --tags rain --tags wind
//   lmthing run examples/typed.lmt.mjs --help

import { z } from 'zod';

export const description = 'Says how the weather will be.';

export const input = z.object({
  city: z.string().describe('Which city'),
  days: z.number().int().min(1).default(3).describe('How many days ahead'),
  tags: z.array(z.string()).optional().describe('What to tell of'),
});

export const output = z.object({ summary: z.string(), celsius: z.number() });

export const config = { model: 'mock' };

export const mock = [{ type: 'text', text: '{"summary":"Sunny, with a light wind.","celsius":24}' }];

/** @type {import('lmthing').PromptFunction<typeof input>} */
export default async ({ $ }, { city, days, tags = [] }) => {
  console.error(`asking for ${city}, ${days} days, ${tags.join(' and ') || 'everything'}`);
  $`How will the weather be in ${city} for the next ${days} days? Tell of ${tags.join(', ') || 'everything'}.`;
};
