// Arrays and nested mappings come out as block YAML in the given order.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defData, $ }) => {
    defData('LIST', [{ z: 1, a: 'first' }, { z: 2, a: 'second' }]);
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
