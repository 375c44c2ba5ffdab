// Plugins of a run belong to that run only.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const plugin = { defOnly() { return 'here'; } };
  await drive(async (p) => { print(typeof p.defOnly); p.$`x`; }, [say('ok')], { plugins: [plugin] });
  await drive(async (p) => { print(typeof p.defOnly); p.$`x`; }, [say('ok')]);
};
