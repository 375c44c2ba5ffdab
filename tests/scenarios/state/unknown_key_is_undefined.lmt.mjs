// getState of an undefined key is undefined.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ getState, $ }) => { print([getState('nope') === undefined]); $`go`; }, [say('ok')]);
};
