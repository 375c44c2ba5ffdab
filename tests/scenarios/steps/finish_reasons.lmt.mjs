// The finish reason of the last step is the result's; an answer that ends with `error` has failed.

import { drive, failure, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const reasons = [];
  const answerWith = (reason) => drive(async ({ $ }) => { $`go`; }, scripted(textTurn('x', reason)));
  for (const reason of ['stop', 'length', 'content-filter', 'other']) {
    const { result, steps } = await answerWith(reason);
    reasons.push([await result.finishReason, steps[0].output.finishReason]);
  }
  print(reasons);
  print(await failure(() => answerWith('error')));
};
