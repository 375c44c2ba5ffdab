// runPrompt rejects wrong arguments with a TypeError.

import { runPrompt } from 'lmthing';
import { failure, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const heads = [];
  for (const args of [[], ['x', {}], [async () => {}], [async () => {}, {}], [async () => {}, { model: 5 }]]) heads.push((await failure(() => runPrompt(...args))).split(':')[0]);
  print(heads);
};
