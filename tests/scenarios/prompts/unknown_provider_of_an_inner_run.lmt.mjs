// An unknown provider of an inner run keeps its hint, and the place it came through.

import { runPrompt } from 'lmthing';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await runPrompt(({ $ }) => { $`go`; }, { model: 'opnai:gpt-4o' });
};
