// Effects of a child run before each of its steps, and are cleaned up at its end.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), async (args, child) => {
      child.defTool('ping', 'P', z.object({}), () => 'pong');
      child.defEffect((ctx) => { log.push(`every ${ctx.stepNumber}`); });
      child.defEffect((ctx) => { log.push(`once ${ctx.stepNumber}`); return () => log.push('clean'); }, []);
      child.$`x`;
    }, { model: createMockModel([call('ping'), say('y')]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  print(log);
};
