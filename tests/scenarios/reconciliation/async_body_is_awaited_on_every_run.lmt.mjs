// An async body is awaited on re-runs too: what it defines late is there.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    await new Promise((r) => setTimeout(r, 2));
    def('LATE', 'yes');
    $`go`;
  }, [call('ping'), say('ok')]);
  print(steps.map(systemOf));
};
