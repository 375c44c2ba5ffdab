// For effects of the parent an agent call is the last tool, with the bare response.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defAgent, defEffect, $ }) => {
    defAgent('kid', 'K', z.object({ q: z.string() }), ({ q }, c) => { c.$`${q}`; }, { model: createMockModel([say('sure')]) });
    defEffect((ctx) => { seen.push(ctx.lastTool); });
    $`go`;
  }, [call('kid', { q: 'eh' }), say('ok')]);
  print(seen);
};
