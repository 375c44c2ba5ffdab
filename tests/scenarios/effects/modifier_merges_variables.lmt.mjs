// Variables given to the modifier are merged over the defined ones, for one step.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defTool, defEffect, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    def('A', '1'); def('B', '2');
    defEffect((ctx, step) => {
      if (ctx.stepNumber === 1) step('variables', [{ name: 'B', type: 'string', value: 'two' }, { name: 'C', type: 'string', value: '3' }]);
    });
    $`go`;
  }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print(steps.map(systemOf));
};
