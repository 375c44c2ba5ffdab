// The first run is the set-up: the body runs once for each step.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let runs = 0;
  const { steps } = await drive(async ({ defTool, $ }) => { runs += 1; defTool('ping', 'Pings', z.object({}), async () => 'pong'); $`go`; }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print([runs, steps.length]);
};
