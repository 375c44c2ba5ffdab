// A plugin method may be async.

import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const slow = { async defSlow() { await null; this.defSystem('late', 'L'); return 'done'; } };
  const { steps } = await drive(async ({ defSlow, $ }) => { print(await defSlow()); $`go`; }, [say('ok')], { plugins: [slow] });
  print(systemOf(steps[0]));
};
