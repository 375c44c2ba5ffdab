// Disabled in a tool, a definition is hidden on the next step.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defTool, $ }) => {
    const a = def('A', '1');
    defTool('hide', 'Hides', z.object({}), () => { a.disable(); return 'ok'; });
    defTool('ping', 'Pings', z.object({}), () => 'pong');
    $`go`;
  }, [call('hide'), call('ping', {}, 'c2'), say('ok')]);
  print(steps.map(systemOf));
};
