// Strings that YAML would read as something else are quoted, so types survive.

import { drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defData, $ }) => {
    defData('D', { flag: 'true', number: '12', nothing: 'null', real: true, count: 12, none: null });
    $`go`;
  }, [say('ok')]);
  const lines = textOf(steps[0].input.prompt[0]).split('\n').map((l) => l.trim().replaceAll("'", '"'));
  print(['flag: "true"', 'number: "12"', 'nothing: "null"', 'real: true', 'count: 12', 'none: null'].map((l) => lines.includes(l)));
};
