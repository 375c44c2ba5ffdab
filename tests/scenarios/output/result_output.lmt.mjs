// result.output is the parsed value, undefined without output; a mismatch rejects with an OutputError.
import { z } from 'zod';
import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('done')];
const ask = ({ $ }) => { $`x`; };
export default async ({ $ }) => {
  const output = z.object({ day: z.string().transform((text) => new Date(text)) });
  const { result, prompt } = await runPrompt(ask, { model: createMockModel([say('{"day":"2026-01-02"}')]), output });
  console.log((await result.output).day.getUTCFullYear(), result.output === result.output, prompt.steps.length);
  console.log(await (await runPrompt(ask, { model: createMockModel([say('x')]) })).result.output);
  const bad = await runPrompt(ask, { model: createMockModel([say('x')]), output, options: { outputRetries: 0 } });
  let streamed = '';
  const error = await bad.result.output.catch((error) => error);
  try {
    for await (const piece of bad.result.textStream) streamed += piece;
  } catch (again) {
    console.log(again.name === error.name);
  }
  console.log(error.name, error.text, error instanceof Error, streamed);
  $`x`;
};
