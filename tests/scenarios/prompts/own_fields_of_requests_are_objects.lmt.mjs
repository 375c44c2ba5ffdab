// Own fields of a provider's requests must be objects; the error does not show the value, which may be a key.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('')];

export default async ({ $ }) => {
  $`scenario`;
  for (const lab of [{ headers: 'Bearer sk-secret-value' }, { body: null }, { query: ['a'] }, { headers: undefined }]) {
    const options = { providerOptions: { lab } };
    const started = runPrompt(({ $ }) => { $`x`; }, { model: createMockModel([say('fine')]), options });
    await started.then(({ result }) => result.text).then(print, (error) => print(`${error.name}: ${error.message}`));
  }
};
