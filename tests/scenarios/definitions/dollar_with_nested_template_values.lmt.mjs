// Arrays, numbers and objects with toString appear as JavaScript writes them.

import { drive, print, say, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ $ }) => { $`${[1, 'b']} ${1.5} ${10n} ${{ toString: () => 'own' }}`; }, [say('ok')]);
  print(usersOf(steps[0]));
};
