// State of a child can be set by its tools and read with getState.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), async (args, child) => {
      const [, setN] = child.defState('n', 1);
      child.defTool('bump', 'B', z.object({}), () => { setN((p) => p + 1); return 'ok'; });
      child.defEffect(() => { seen.push(child.getState('n')); });
      child.$`x`;
    }, { model: createMockModel([call('bump'), call('bump', {}, 'c2'), say('y')]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  print(seen);
};
