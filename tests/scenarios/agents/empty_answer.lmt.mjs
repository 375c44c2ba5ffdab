// An agent without text gives the empty string.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('kid', 'K', z.object({}), (args, c) => { c.$`x`; }, { model: createMockModel([]) });
    $`go`;
  }, [call('kid'), say('ok')]);
  print(outputsOf(steps[1]));
};
