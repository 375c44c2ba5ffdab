// A prompt that is called like a function: `input` says what it takes, `output` what it answers with. Options, help and
// error messages of the command are made of the schemas; the answer comes as JSON.
//
//   lmthing run typed.lmt.mjs --help
//   lmthing run typed.lmt.mjs --text 'The soup was cold.' --language English
//   lmthing run -m openai:gpt-6.1-sol typed.lmt.mjs    a real model; needs OPENAI_API_KEY, in the environment or in .env

import { z } from 'zod';

export const description = 'Says what a customer thinks.';

export const input = z.object({
  text: z.string().default('Lovely tea, but it took three weeks to arrive.').describe('What the customer wrote'),
  language: z.string().optional().describe('The language of the summary; that of the text unless given'),
});

export const output = z.object({
  mood: z.enum(['happy', 'mixed', 'angry']),
  topics: z.array(z.string()),
  summary: z.string(),
});

// 'mock' plays the answer below, without a key or a network. `lmthing models` lists the real ones.
export const config = { model: 'mock' };

// An answer that does not match `output` is shown to the model, which is asked again.
export const mock = [
  { type: 'text', text: '{"mood": "mixed", "topics": ["taste", "delivery"], "summary": "Good tea, late delivery."}' },
];

/** @type {import('lmthing').PromptFunction<typeof input>} */
export default async ({ defSystem, $ }, { text, language = 'the language of the text' }) => {
  defSystem('style', `The summary has at most ten words, in ${language}.`);
  $`What does this customer think?\n\n${text}`;
};
