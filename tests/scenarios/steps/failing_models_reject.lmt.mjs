// A doStream that throws or rejects rejects the run.

import { drive, failure, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  print((await failure(() => drive(async ({ $ }) => { $`x`; }, { doStream() { throw new Error('sync no'); } }))).includes('sync no'));
  print((await failure(() => drive(async ({ $ }) => { $`x`; }, { doStream: async () => { throw new Error('async no'); } }))).includes('async no'));
  print((await failure(() => drive(async ({ $ }) => { $`x`; }, { doStream: async () => ({}) }))) !== 'nothing was thrown');
};
