// Assistant messages made by defMessage are not repeated either.

import { z } from 'zod';
import { call, drive, print, say, talkOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defMessage, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defMessage('user', 'q'); defMessage('assistant', 'a');
    $`go`;
  }, [call('ping'), say('ok')]);
  print(talkOf(steps[1]));
};
