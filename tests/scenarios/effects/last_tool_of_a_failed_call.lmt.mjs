// After a failing call lastTool carries the error result.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defTool, defEffect, $ }) => {
    defTool('break', 'Breaks', z.object({}), () => { throw new Error('snap'); });
    defEffect((ctx) => { seen.push(ctx.lastTool && ctx.lastTool.output); });
    $`go`;
  }, [call('break'), say('ok')]);
  print(seen);
};
