// Strings are text; numbers, booleans, arrays, null and objects are JSON.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const results = ['text', 5, true, [1, 'a'], null, { a: 1 }, ''];
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('give', 'G', z.object({ i: z.number() }), ({ i }) => results[i]);
    $`go`;
  }, [...results.map((_, i) => call('give', { i }, `c${i}`)), say('ok')]);
  print(steps.slice(1).map((s) => outputsOf(s)[0]));
};
