// What an author adds to a failure on its way out is shown; code and advice stay those of the failure.

import { runPrompt } from 'lmthing';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  try {
    await runPrompt(({ $ }) => { $`go`; }, { model: 'opnai:gpt-4o' });
  } catch (error) {
    console.log(error.name, 'status' in error, JSON.stringify(Object.keys(error)));
    error.message = `Weather: ${error.message}`;
    throw error;
  }
};
