// A plugin may not replace a method of every prompt.

import { drive, failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const message = await failure(() => drive(async ({ $ }) => { $`go`; }, [say('ok')], { plugins: [{ def() { return 'mine'; } }] }));
  print([message.startsWith('TypeError'), message.includes("'def'")]);
};
