// Of two plugins with the same method the later one counts.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defX, $ }) => { print(defX()); $`x`; }, [say('ok')], { plugins: [{ defX: () => 1 }, { defX: () => 2 }] });
};
