// An empty string is a value like any other.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defSystem, $ }) => {
    def('NOTHING', '');
    defSystem('blank', '');
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
