// An object with a value is replaced by it.

import { drive, print, say, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ $ }) => {
    $`x ${{ value: 'inner', other: 1 }} y ${{ value: 7 }}`;
  }, [say('ok')]);
  print(usersOf(steps[0]));
};
