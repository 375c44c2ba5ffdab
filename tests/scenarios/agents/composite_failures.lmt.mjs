// In the composite form failures and unknown names are responses that start with Error:, and nothing stops.

import { agent } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defAgent, $ }) => {
    defAgent('team', 'Team', [
      agent('bad', 'B', z.object({}), () => { throw new Error('no time'); }),
      agent('good', 'G', z.object({ q: z.string() }), ({ q }, c) => { c.$`${q}`; }, { model: createMockModel([say('fine')]) }),
    ]);
    $`go`;
  }, [call('team', { calls: [{ name: 'bad', args: {} }, { name: 'ghost', args: {} }, { name: 'good', args: { q: 'how' } }] }), say('ok')]);
  const { results } = valuesOf(steps[1])[0];
  print(results.map((r) => [r.name, r.response, r.steps?.length ?? 0]));
};
