// An error of the first run rejects runPrompt itself, with the very error.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const boom = new Error('first');
  try { await runPrompt(async () => { throw boom; }, { model: createMockModel([]) }); } catch (e) { print(e === boom); }
};
