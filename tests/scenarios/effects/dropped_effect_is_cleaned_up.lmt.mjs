// An effect that the body does not make again is cleaned up and stays away.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defState, defEffect, defTool, $ }) => {
    const [on, setOn] = defState('on', true);
    defTool('off', 'Off', z.object({}), () => { setOn(false); return 'ok'; });
    if (on) defEffect(() => { log.push('run'); return () => log.push('clean'); });
    $`go`;
  }, [call('off'), say('ok')]);
  print(log);
};
