// Two calls with the same key are the same state; the first initial value counts.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defState, $ }) => {
    const [a, setA] = defState('k', 1);
    setA(9);
    const [b] = defState('k', 2);
    print([a, b]);
    $`go`;
  }, [say('ok')]);
};
