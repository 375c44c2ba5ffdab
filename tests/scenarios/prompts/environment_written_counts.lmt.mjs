// What a prompt file writes to process.env counts for aliases and keys that are looked up later.

import { runPrompt } from 'lmthing';
import { failure } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const ask = (model) => failure(async () => runPrompt(({ $ }) => { $`go`; }, { model }));
  console.log(await ask('quick'));
  process.env.LM_MODEL_QUICK = 'nobody:tiny';
  console.log(await ask('quick'));
  delete process.env.LM_MODEL_QUICK;
  console.log(await ask('quick') === await ask('quick'));
};
