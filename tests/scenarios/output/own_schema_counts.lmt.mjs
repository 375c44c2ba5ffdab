// Refinements and transforms of the schema count; the model gets the input side of the schema.
import { z } from 'zod';

export const config = { model: 'mock', options: { onStepFinish: ({ text }) => console.error(`step ${text}`) } };
export const mock = [
  { type: 'text', text: '{"name":"x"}' },
  { type: 'finish' },
  { type: 'text', text: '{"name":"Rome"}' },
];
export const output = z.object({ name: z.string().refine(async (name) => name.length > 1, 'one letter is no name') })
  .transform(({ name }) => ({ letters: name.length }));
export default async ({ $ }) => { $`A name.`; };
