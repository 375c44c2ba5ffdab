// Tools can be given to the modifier as names or references, messages with any role.

import { z } from 'zod';
import { drive, print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, defEffect, $ }) => {
    const a = defTool('a', 'A', z.object({}), () => 1); defTool('b', 'B', z.object({}), () => 1); defTool('c', 'C', z.object({}), () => 1);
    defEffect((ctx, step) => { step('tools', [a, 'b']); step('messages', [{ role: 'user', content: 'q' }, { role: 'assistant', content: 'a' }, { role: 'user', content: [{ type: 'text', text: 'r' }] }]); });
    $`go`;
  }, [say('ok')]);
  print([steps[0].activeTools, talkOf(steps[0])]);
};
