// Invalid arguments reach neither beforeCall nor onError.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('a', 'A', z.object({ n: z.number() }), () => 1, { beforeCall: () => { log.push('before'); }, onError: () => { log.push('error'); return 'x'; } });
    $`go`;
  }, [call('a', {}), say('ok')]);
  print([log, outputsOf(steps[1])[0].type]);
};
