// An empty list leaves nothing of that aspect on this step.

import { z } from 'zod';
import { drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defSystem, defTool, defEffect, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defSystem('a', 'A'); def('V', '1');
    defEffect((ctx, step) => { step('tools', []); step('systems', []); step('variables', []); });
    $`go`;
  }, [say('ok')]);
  print([steps[0].activeTools, systemOf(steps[0])]);
};
