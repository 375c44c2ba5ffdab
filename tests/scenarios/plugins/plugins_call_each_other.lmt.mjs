// A plugin method can call methods of other plugins through this.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const a = { defBase(x) { return `base ${x}`; } };
  const b = { defTop(x) { return 'top ' + this.defBase(x); } };
  await drive(async ({ defTop, $ }) => { print(defTop(1)); $`go`; }, [say('ok')], { plugins: [a, b] });
};
