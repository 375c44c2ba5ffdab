// A tool may run a prompt of its own and hand on its answer.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defTool, $ }) => {
    defTool('ask', 'Asks', z.object({ q: z.string() }), async ({ q }) => (await drive(async ({ $ }) => { $`${q}`; }, [say('inner answer')])).text);
    $`go`;
  }, [call('ask', { q: 'why' }), say('outer answer')]);
  print([text, valuesOf(steps[1])]);
};
