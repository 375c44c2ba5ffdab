// No calls give no results; a call without a list is an error result.

import { tool } from 'lmthing';
import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('ops', 'Operations', [tool('a', 'A', z.object({}), () => 1)]);
    $`go`;
  }, [call('ops', { calls: [] }), call('ops', {}, 'c2'), say('ok')]);
  print([valuesOf(steps[1])[0], outputsOf(steps[2])[0].type]);
};
