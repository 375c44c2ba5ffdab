// State is a snapshot of the very value: === works for primitives and objects.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const object = { deep: [1] };
  await drive(async ({ defState, getState, $ }) => {
    const [n] = defState('n', 0);
    const [o] = defState('o', object);
    print([n === 0, o === object, getState('o') === object]);
    $`go`;
  }, [say('ok')]);
};
