// A reference inside another definition is its tag.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defSystem, $ }) => {
    const name = def('NAME', 'Ada');
    def('GREETING', `Hello ${name}`);
    def('COPY', name);
    defSystem('rule', 'Always greet ' + name);
    $`go`;
  }, [say('ok')]);
  print(systemOf(steps[0]));
};
