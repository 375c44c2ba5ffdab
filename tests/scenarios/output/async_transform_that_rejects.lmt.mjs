// A transform that rejects later fails where the output is awaited, and nowhere else. Each transform runs once.
import { z } from 'zod';
import { runPrompt } from 'lmthing';
import { inPieces } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [];
export default async () => {
  let calls = 0;
  const number = z.number().transform(async () => {
    calls += 1;
    await 0;
    throw new Error('no luck');
  });
  const { result } = await runPrompt(({ $ }) => { $`x`; }, { model: inPieces([['{"n":1}']]), output: z.object({ n: number }) });
  try {
    await result.output;
  } catch (error) {
    console.log(error.message, calls);
  }
};
