// Without the usage option the counts are numbers.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result } = await drive(async ({ $ }) => { $`x`; }, [say('y')]);
  const u = await result.usage;
  print([typeof u.inputTokens, typeof u.outputTokens, typeof u.totalTokens]);
};
