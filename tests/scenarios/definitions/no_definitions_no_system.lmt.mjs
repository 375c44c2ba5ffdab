// Without definitions there is no system message at all.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ $ }) => { $`hi`; }, [say('ok')]);
  print(steps[0].input.prompt.map((m) => m.role));
};
