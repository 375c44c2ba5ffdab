// No calls give no results.

import { agent } from 'lmthing';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('team', 'Team', [agent('a', 'A', z.object({}), (x, c) => { c.$`x`; })]);
    $`go`;
  }, [call('team', { calls: [] }), say('ok')]);
  print(valuesOf(steps[1]));
};
