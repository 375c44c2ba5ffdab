// An image given as bytes, in a typed array or a buffer, becomes base64 and disturbs nothing that follows.

import { drive, print, say } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const bytes = new Uint8Array([1, 2, 3]);
  const { steps } = await drive(async ({ defMessage, defEffect, $ }) => {
    defMessage('user', [{ type: 'image', image: bytes, mediaType: 'image/png' }, { type: 'image', image: bytes.buffer, mediaType: 'image/png' }]);
    defMessage('user', [{ type: 'file', data: new Float32Array(1), mediaType: 'a/b' }].slice(1));
    defEffect(({ messages }) => { print(messages.length); });
    $`go`;
  }, [say('ok')]);
  print(steps[0].input.prompt[0].content.map((part) => part.image));
};
