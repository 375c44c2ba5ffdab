// An effect that an effect defines has its turn on the next step, and one that defines itself ends.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defEffect, defTool, $ }) => {
    defTool('t', 'T', z.object({}), () => 1);
    defEffect(function again({ stepNumber }) { seen.push(stepNumber); defEffect(again); });
    $`go`;
  }, [call('t'), say('ok')]);
  print(seen);
};
