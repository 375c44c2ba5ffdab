// beforeCall gets the validated arguments; undefined lets the call proceed.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({ n: z.number().default(3) }), ({ n }) => n + 1, {
      beforeCall: (input, output) => { log.push([input, output === undefined]); return undefined; },
    });
    $`go`;
  }, [call('t'), say('ok')]);
  print([log, valuesOf(steps[1])]);
};
