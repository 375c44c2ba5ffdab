// Dependencies are compared by Object.is: NaN equals itself, 0 and -0 differ, equal objects differ.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = { nan: 0, zero: 0, object: 0, same: 0 };
  const same = {};
  await drive(async ({ defEffect, defState, defTool, $ }) => {
    const [z0, setZ] = defState('z', 0);
    defTool('ping', 'Pings', z.object({}), () => { setZ(-0); return 'pong'; });
    defEffect(() => { log.nan += 1; }, [NaN]);
    defEffect(() => { log.zero += 1; }, [z0]);
    defEffect(() => { log.object += 1; }, [{}]);
    defEffect(() => { log.same += 1; }, [same]);
    $`go`;
  }, [call('ping'), say('ok')]);
  print(log);
};
