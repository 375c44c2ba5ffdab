// An async effect is awaited before the next effect and before the request.

import { drive, print, scripted, textTurn } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const model = scripted(() => { log.push('request'); return textTurn('ok'); });
  await drive(async ({ defEffect, $ }) => {
    defEffect(async () => { log.push('a starts'); await new Promise((r) => setTimeout(r, 5)); log.push('a ends'); });
    defEffect(() => { log.push('b'); });
    $`go`;
  }, model);
  print(log);
};
