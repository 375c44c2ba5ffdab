// A message of one text is a string in the context, for every role.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defMessage, defEffect, $ }) => {
    defMessage('user', 'q'); defMessage('assistant', 'a'); $`r`;
    defEffect((ctx) => { print(ctx.messages.map((m) => `${m.role}: ${m.content}`)); });
  }, [say('ok')]);
};
