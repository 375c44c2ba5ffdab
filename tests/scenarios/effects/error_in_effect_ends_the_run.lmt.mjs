// An error thrown by an effect rejects the run with that very error.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const boom = new RangeError('too far');
  try {
    await drive(async ({ defEffect, $ }) => { defEffect(() => { throw boom; }); $`go`; }, [say('ok')]);
  } catch (error) { print([error === boom, error.message]); }
};
