// The template drops undefined, and keeps other falsy values.

import { drive, print, say, usersOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ $ }) => {
    $`a${undefined}b${0}c${false}d${null}e${''}f`;
  }, [say('ok')]);
  print(usersOf(steps[0]));
};
