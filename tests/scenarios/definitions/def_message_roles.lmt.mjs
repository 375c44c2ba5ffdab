// defMessage adds messages of its role in call order.

import { drive, print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defMessage, $ }) => {
    defMessage('user', 'What is 2+2?');
    defMessage('assistant', '4');
    $`And 3+3?`;
  }, [say('ok')]);
  print(talkOf(steps[0]));
};
