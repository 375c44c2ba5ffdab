// Messages may have several parts; they are sent as they are.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defMessage }) => {
    defMessage('user', [{ type: 'text', text: 'Look:' }, { type: 'image', image: 'https://example.com/a.png' }]);
  }, [say('ok')]);
  print(steps[0].input.prompt[0].content.map((p) => [p.type, p.text ?? p.image ?? p.data]));
};
