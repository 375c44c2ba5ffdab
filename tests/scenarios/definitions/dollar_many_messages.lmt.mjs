// Every template is a message of its own, in order, with its line breaks.

import { drive, print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ $ }) => {
    $`first`;
    $`second\nline`;
  }, [say('ok')]);
  print(talkOf(steps[0]));
};
