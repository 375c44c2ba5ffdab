// An effect that runs once is cleaned up once, at the end.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const { text } = await drive(async ({ defEffect, defTool, $ }) => {
    defTool('ping', 'Pings', z.object({}), () => { log.push('tool'); return 'pong'; });
    defEffect(() => { log.push('open'); return () => { log.push('close'); }; }, []);
    $`go`;
  }, [call('ping'), say('ok')]);
  print([log, text]);
};
