// A string of several lines keeps its lines.

import { drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defData, $ }) => {
    defData('POEM', { text: 'roses\nviolets\n' });
    $`go`;
  }, [say('ok')]);
  const text = textOf(steps[0].input.prompt[0]);
  print([/text: \|/.test(text), /^\s+roses$/m.test(text), /^\s+violets$/m.test(text)]);
};
