// A beforeCall answer skips execute and onSuccess; null and false are answers too.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const answers = [null, false, 0, ''];
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({ i: z.number() }), () => { log.push('execute'); return 1; }, {
      beforeCall: async ({ i }) => answers[i], onSuccess: () => { log.push('success'); }, onError: () => { log.push('error'); },
    });
    $`go`;
  }, [...answers.map((_, i) => call('t', { i }, `c${i}`)), say('ok')]);
  print([log, steps.slice(1).map((s) => valuesOf(s)[0])]);
};
