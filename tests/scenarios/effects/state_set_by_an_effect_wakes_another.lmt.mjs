// An effect may set state that another depends on; it runs on the next step.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defEffect, defState, defTool, $ }) => {
    const [ready, setReady] = defState('ready', false);
    defTool('p', 'P', z.object({}), () => 1);
    defEffect((ctx) => { log.push(`ready is ${ready} on ${ctx.stepNumber}`); }, [ready]);
    defEffect(() => { setReady(true); }, []);
    $`go`;
  }, [call('p'), call('p', {}, 'c2'), say('ok')]);
  print(log);
};
