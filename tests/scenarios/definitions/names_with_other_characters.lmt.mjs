// Letters of any language, digits, dots and dashes are allowed in names.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, $ }) => {
    def('größe-1.2', 'x'); def('日本', 'y');
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
