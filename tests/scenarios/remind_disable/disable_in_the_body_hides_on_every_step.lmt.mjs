// Disabled in the body, a definition is hidden on every step.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    def('SHOWN', '1');
    def('HIDDEN', '2').disable();
    defTool('secret', 'S', z.object({}), () => 1).disable();
    $`go`;
  }, [call('ping'), say('ok')]);
  print(steps.map((s) => [systemOf(s), s.activeTools]));
};
