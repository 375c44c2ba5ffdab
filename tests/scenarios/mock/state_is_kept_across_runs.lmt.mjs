// One model used by two runs continues where it stopped.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const model = createMockModel([call('p'), say('one'), { type: 'finish' }, call('p', {}, 'c2'), say('two')]);
  const fn = async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; };
  print([(await drive(fn, model)).text, (await drive(fn, model)).text]);
};
