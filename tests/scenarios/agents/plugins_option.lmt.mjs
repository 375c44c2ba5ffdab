// The plugins option adds plugins for the child, next to the inherited ones.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const a = { defOne() { return 'one'; } };
  const b = { defTwo() { return 'two'; } };
  const seen = [];
  await drive(async ({ defAgent, defTwo, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { seen.push(typeof defTwo, c.defOne(), c.defTwo(), typeof c.defTaskList); c.$`x`; }, { model: createMockModel([say('y')]), plugins: [b] });
    $`go`;
  }, [call('kid'), say('ok')], { plugins: [a] });
  print(seen);
};
