// A missing key of an inner run that is not caught ends with code 3 as well.

import { runPrompt } from 'lmthing';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result } = await runPrompt(({ $ }) => { $`go`; }, { model: 'openai:gpt-4o' });
  await result.text;
};
