// Sections come before the variables block, whatever the order of the calls.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defData, defSystem, $ }) => {
    def('CITY', 'Lima');
    defSystem('tone', 'Warm.');
    defData('TRIP', { days: 3 });
    defSystem('task', 'Plan.');
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
