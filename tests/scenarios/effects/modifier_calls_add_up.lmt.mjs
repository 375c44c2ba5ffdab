// Calls of the modifier add up, within one effect and across effects.

import { z } from 'zod';
import { drive, print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, defEffect, $ }) => {
    for (const name of ['a', 'b', 'c']) defTool(name, name, z.object({}), () => name);
    defEffect((ctx, step) => { step('tools', ctx.tools.filter((t) => t.name === 'a')); step('messages', ['one']); });
    defEffect((ctx, step) => { step('tools', ctx.tools.filter((t) => t.name === 'c')); step('messages', [{ role: 'user', content: 'two' }]); });
    $`go`;
  }, [say('ok')]);
  print([steps[0].activeTools, talkOf(steps[0])]);
};
