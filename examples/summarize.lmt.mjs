// Shows text from standard input: the one required string that is missing is read from there. The text can as well be given
// as a word, or as @FILE.
//
//   lmthing run examples/summarize.lmt.mjs < README.md
//   lmthing run examples/summarize.lmt.mjs @README.md --max-words 20

import { z } from 'zod';

export const description = 'Summarizes a text.';

export const input = z.object({
  text: z.string().describe('What is summarized'),
  maxWords: z.number().int().positive().default(50).describe('How long the summary may be'),
});

export const config = { model: 'mock' };

export const mock = [{ type: 'text', text: 'It is about three cats.' }];

/** @type {import('lmthing').PromptFunction<typeof input>} */
export default async ({ def, defSystem, $ }, { text, maxWords }) => {
  defSystem('role', `You summarize texts in at most ${maxWords} words.`);
  const document = def('TEXT', text);
  console.log(`${text.trim().split(/\s+/).length} words in, at most ${maxWords} out`);
  $`Summarize ${document}.`;
};
