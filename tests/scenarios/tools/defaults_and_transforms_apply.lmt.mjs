// Arguments reach the function with defaults and transforms applied.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let got;
  await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({ n: z.number().default(7), s: z.string().transform((v) => v.toUpperCase()), x: z.coerce.number() }), (args) => { got = args; return 'ok'; });
    $`go`;
  }, [call('t', { s: 'abc', x: '12', extra: true }), say('ok')]);
  print(got);
};
