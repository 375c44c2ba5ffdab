// disable hides on one step in a child's effect, and on every step in its callback.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let kid;
  await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), async (args, child) => {
      kid = child;
      child.defTool('ping', 'P', z.object({}), () => 'pong');
      child.defSystem('always', 'hidden').disable();
      const rule = child.defSystem('rule', 'R');
      child.defEffect((ctx) => { if (ctx.stepNumber === 1) rule.disable(); });
      child.$`x`;
    }, { model: createMockModel([call('ping'), call('ping', {}, 'c2'), say('y')]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  print(kid.steps.map(systemOf));
};
