// Reminders asked for in an effect of a child go with the child's request.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let kid;
  await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), async (args, child) => {
      kid = child;
      child.defTool('ping', 'P', z.object({}), () => 'pong');
      const rule = child.defSystem('rule', 'R');
      child.defEffect((ctx) => { if (ctx.stepNumber === 1) rule.remind(); });
      child.$`x`;
    }, { model: createMockModel([call('ping'), call('ping', {}, 'c2'), say('y')]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  print(kid.steps.map((s) => textOf(s.input.prompt.at(-1)).startsWith('[Reminder:')));
};
