// In a composite call a failing sub-tool, an unknown one and invalid arguments each give an error; the others run.

import { tool } from 'lmthing';
import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('ops', 'Operations', [
      tool('ok', 'Fine', z.object({ n: z.number() }), ({ n }) => n * 10),
      tool('bad', 'Fails', z.object({}), () => { throw new Error('no luck'); }),
    ]);
    $`go`;
  }, [call('ops', { calls: [{ name: 'bad', args: {} }, { name: 'ghost', args: {} }, { name: 'ok', args: { n: 'x' } }, { name: 'ok', args: { n: 2 } }] }), say('ok')]);
  const [{ results }] = valuesOf(steps[1]);
  print([results[0], results[1], results[2].name, Object.keys(results[2].result), results[3], outputsOf(steps[1])[0].type]);
};
