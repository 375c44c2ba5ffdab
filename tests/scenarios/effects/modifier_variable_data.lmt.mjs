// A variable of type data is shown as YAML.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defEffect, $ }) => {
    defEffect((ctx, step) => { step('variables', [{ name: 'D', type: 'data', value: { k: ['v'] } }]); });
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
