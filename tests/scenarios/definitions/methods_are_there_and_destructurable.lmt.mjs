// The prompt carries every method, bound to it.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async (p) => {
    const names = ['def', 'defData', 'defSystem', 'defMessage', '$', 'defTool', 'defAgent', 'defState', 'getState', 'defEffect',
      'getRemindedItems', 'defTaskList', 'defTaskGraph'];
    print(names.filter((name) => typeof p[name] !== 'function'));
    const { def } = p;
    print(def('A', 'b').value);
    p.$`go`;
  }, [say('ok')]);
};
