// State belongs to one prompt.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const fn = async ({ defState, $ }) => { const [n, set] = defState('n', 0); set(n + 1); print(n); $`go`; };
  await drive(fn, [say('ok')]);
  await drive(fn, [say('ok')]);
};
