// Sub-tools run one after another, in the order of the calls.

import { tool } from 'lmthing';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defTool, $ }) => {
    defTool('ops', 'Operations', [
      tool('slow', 'S', z.object({}), async () => { log.push('slow starts'); await new Promise((r) => setTimeout(r, 5)); log.push('slow ends'); }),
      tool('fast', 'F', z.object({}), () => { log.push('fast'); }),
    ]);
    $`go`;
  }, [call('ops', { calls: [{ name: 'slow', args: {} }, { name: 'fast', args: {} }] }), say('ok')]);
  print(log);
};
