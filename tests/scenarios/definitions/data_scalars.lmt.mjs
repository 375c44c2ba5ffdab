// defData takes plain values too.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defData, $ }) => {
    defData('N', 42); defData('S', 'word'); defData('E', []); defData('O', {});
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
