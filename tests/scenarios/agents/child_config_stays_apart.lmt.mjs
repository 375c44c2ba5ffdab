// The parent's system option and stop conditions are its own.

import { stepCountIs } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let kid;
  await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { kid = c; c.defTool('p', 'P', z.object({}), () => 1); c.$`x`; }, { model: createMockModel([call('p'), call('p', {}, 'c2'), say('y')]) });
    $`go`;
  }, [call('kid'), say('ok')], { options: { system: 'Parent only.', stopWhen: stepCountIs(5) } });
  print([kid.steps.length, systemOf(kid.steps[0])]);
};
