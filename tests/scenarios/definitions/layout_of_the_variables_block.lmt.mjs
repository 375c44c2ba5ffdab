// Entries are indented by two spaces; data is YAML between its tags.

import { drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defData, $ }) => {
    def('ONE', 'x');
    defData('TWO', { a: [1, 2], b: { c: 'd' } });
    $`go`;
  }, [say('ok')]);
  const lines = textOf(steps[0].input.prompt[0]).split('\n');
  print([lines[0], lines[1], lines[2], lines.at(-2), lines.at(-1)]);
};
