// An error part of a model object rejects the run with its message.

import { drive, failure, print, scripted } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const parts = (error) => scripted([{ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'x' }, { type: 'error', error }]);
  for (const error of [new Error('as an Error'), 'as a string', { message: 'as an object' }]) {
    print((await failure(() => drive(async ({ $ }) => { $`go`; }, parts(error)))).split(': ').at(-1));
  }
};
