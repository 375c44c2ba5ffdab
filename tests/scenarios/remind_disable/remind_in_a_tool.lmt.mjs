// A reminder asked for by a tool goes with the next request.

import { z } from 'zod';
import { call, drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defTool, $ }) => {
    const city = def('CITY', 'Oslo');
    defTool('ping', 'Pings', z.object({}), () => { city.remind(); return 'pong'; });
    $`go`;
  }, [call('ping'), say('ok')]);
  print(steps.map((s) => textOf(s.input.prompt.at(-1)).startsWith('[Reminder:')));
};
