// The callback runs once a call; what it defined is there on every step of the child.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let runs = 0; let kid;
  await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), async (args, child) => {
      runs += 1; kid = child;
      child.defSystem('role', 'Helper'); child.defTool('ping', 'P', z.object({}), () => 'pong'); child.$`x`;
    }, { model: createMockModel([call('ping'), call('ping', {}, 'c2'), say('y')]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  print([runs, kid.steps.map((s) => [systemOf(s), s.activeTools])]);
};
