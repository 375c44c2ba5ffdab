// Half a surrogate pair in a variable, a section, data or a message becomes U+FFFD; nothing fails.

import { drive, print, say, systemOf, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defData, defSystem, defMessage, $ }) => {
    def('A', 'a\ud800');
    defData('D', { d: 'd\udc00' });
    defSystem('s', '\ud800s');
    defMessage('user', 'm\ud800');
    $`t${'\ud800'}`;
  }, [say('ok')]);
  print([systemOf(steps[0]).split('\ufffd').length, usersOf(steps[0])]);
};
