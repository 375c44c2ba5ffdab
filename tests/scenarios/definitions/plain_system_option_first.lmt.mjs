// config.options.system is unwrapped at the top of the system prompt.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defSystem, def, $ }) => {
    def('A', '1');
    defSystem('role', 'Clerk.');
    $`go`;
  }, [say('ok')], { options: { system: 'Be exact.' } });
  print(systemOf(steps[0]));
};
