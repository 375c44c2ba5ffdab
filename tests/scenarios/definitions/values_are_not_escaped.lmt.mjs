// Markup characters in values stay as they are.

import { drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defSystem, $ }) => {
    def('EXPR', 'a < b && c > "d"');
    defSystem('rule', 'use & not <and>');
    $`go`;
  }, [say('ok')]);
  const text = textOf(steps[0].input.prompt[0]);
  print([text.includes('<EXPR>a < b && c > "d"</EXPR>'), text.includes('use & not <and>')]);
};
