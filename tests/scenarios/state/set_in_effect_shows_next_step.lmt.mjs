// An effect can set state; the body sees it on the next step.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defState, defEffect, defTool, $ }) => {
    const [phase, setPhase] = defState('phase', 'start');
    seen.push(phase);
    defEffect(() => { if (phase === 'start') setPhase('work'); }, [phase]);
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    $`go`;
  }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print(seen);
};
