// An unknown aspect or items that are no list end the run with a TypeError.

import { drive, failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  print(await failure(() => drive(async ({ defEffect, $ }) => { defEffect((c, step) => step('colours', [])); $`go`; }, [say('ok')])).then((t) => [t.startsWith('TypeError'), t.includes('colours')]));
  print(await failure(() => drive(async ({ defEffect, $ }) => { defEffect((c, step) => step('messages', 'x')); $`go`; }, [say('ok')])).then((t) => [t.startsWith('TypeError'), t.includes('messages')]));
};
