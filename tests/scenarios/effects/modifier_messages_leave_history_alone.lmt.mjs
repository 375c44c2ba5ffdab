// Replaced messages do not change the conversation: the answer is added to the real one.

import { z } from 'zod';
import { call, drive, print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, defEffect, $ }) => {
    defTool('p', 'P', z.object({}), () => 'r');
    defEffect((ctx, step) => { if (ctx.stepNumber === 0) step('messages', ['summary']); });
    $`long story`;
  }, [say('ah'), call('p'), say('ok')]);
  print(steps.map(talkOf));
};
