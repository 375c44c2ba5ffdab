// The finish reason of the last step is the result's.

import { drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const reasons = [];
  for (const reason of ['stop', 'length', 'content-filter', 'error', 'other']) {
    const { result, steps } = await drive(async ({ $ }) => { $`go`; }, scripted(textTurn('x', reason)));
    reasons.push([await result.finishReason, steps[0].output.finishReason]);
  }
  print(reasons);
};
