// Shows a file as input: its path is given behind @, and the file is a part of the message.
//
//   lmthing run examples/photo.lmt.mjs @examples/photo.png
//   lmthing run -m openai:gpt-6.1-sol examples/photo.lmt.mjs @cat.jpg --question 'Which colour has it?'

import { z } from 'zod';

export const description = 'Answers a question about a picture.';

export const input = z.object({
  photo: z.file().max(5_000_000).mime(['image/png', 'image/jpeg', 'image/webp']).describe('The picture'),
  question: z.string().default('What is in this picture?').describe('What to answer'),
});

export const config = { model: 'mock' };

export const mock = [{ type: 'text', text: 'A red dot.' }];

/** @type {import('lmthing').PromptFunction<typeof input>} */
export default async ({ $ }, { photo, question }) => {
  console.error(`${photo.name}: ${photo.type}, ${photo.size} bytes`);
  $`${photo} ${question}`;
};
