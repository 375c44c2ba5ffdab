// Defining a name again replaces the value and keeps the place.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defSystem, $ }) => {
    def('A', 'old'); def('B', 'b'); def('A', 'new');
    defSystem('one', 'first'); defSystem('two', 'second'); defSystem('one', 'changed');
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
