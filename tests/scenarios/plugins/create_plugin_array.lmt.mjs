// createPluginArray checks plugins and returns them as an array.

import { createPluginArray } from 'lmthing';
import { drive, failure, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const a = { defA() { return 'a'; } }; const b = { defB() { return 'b'; } };
  const plugins = createPluginArray(a, b);
  print([Array.isArray(plugins), plugins.length]);
  await drive(async ({ defA, defB, $ }) => { print([defA(), defB()]); $`go`; }, [say('ok')], { plugins });
  print((await failure(() => createPluginArray('x'))).startsWith('TypeError'));
};
