// An error in a plugin method is thrown to its caller.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defBad, $ }) => { try { defBad(); } catch (e) { print(e.message); } $`x`; }, [say('ok')], { plugins: [{ defBad() { throw new Error('plugin trouble'); } }] });
};
