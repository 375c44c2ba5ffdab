// A delay in milliseconds comes before every item.

import { createMockModel } from 'lmthing/test';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const start = performance.now();
  await drive(async ({ $ }) => { $`go`; }, createMockModel([say('a'), say('b'), say('c')], { delay: 20 }));
  print(performance.now() - start >= 55);
};
