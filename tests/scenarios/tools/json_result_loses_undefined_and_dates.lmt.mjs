// Results follow JSON: undefined fields go, dates are ISO text, toJSON counts.

import { z } from 'zod';
import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('give', 'G', z.object({}), () => ({ a: undefined, d: new Date(0), j: { toJSON: () => 'j' }, f() {} }));
    $`go`;
  }, [call('give'), say('ok')]);
  print(valuesOf(steps[1]));
};
