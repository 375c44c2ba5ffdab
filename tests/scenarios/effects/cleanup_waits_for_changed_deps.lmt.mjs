// With dependencies the clean-up runs only when the effect runs again, and at the end.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  await drive(async ({ defEffect, defState, defTool, $ }) => {
    const [v, setV] = defState('v', 'a');
    defTool('same', 'Nothing', z.object({}), () => 'ok');
    defTool('change', 'Changes', z.object({}), () => { setV('b'); return 'ok'; });
    defEffect(() => { log.push('run ' + v); return () => log.push('clean ' + v); }, [v]);
    $`go`;
  }, [call('same'), call('change', {}, 'c2'), call('same', {}, 'c3'), say('ok')]);
  print(log);
};
