// Plugins that are no array of objects are a TypeError.

import { drive, failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const run = (plugins) => failure(() => drive(async ({ $ }) => { $`go`; }, [say('ok')], { plugins }));
  print([(await run('x')).startsWith('TypeError'), (await run([5])).startsWith('TypeError'), (await run([])).startsWith('nothing')]);
};
