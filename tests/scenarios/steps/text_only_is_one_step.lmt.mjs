// A text-only answer is one step, however many items it has.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ $ }) => { $`go`; }, [say('a'), say('b'), say('c')]);
  print([steps.length, text, steps[0].output]);
};
