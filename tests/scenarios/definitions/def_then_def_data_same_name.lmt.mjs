// def and defData share their names: the last one decides how the value is shown.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defData, $ }) => {
    def('A', 'text'); defData('A', ['one', 'two']);
    defData('B', { n: 1 }); def('B', 'plain');
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
