// Values that change from run to run are current on every step.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let n = 0;
  const { steps } = await drive(async ({ def, defData, defTool, $ }) => { n += 1; def('N', `${n}`); defData('L', Array.from({ length: n }, (_, i) => i)); defTool('p', 'P', z.object({}), () => 1); $`go`; }, [call('p'), say('ok')]);
  print(steps.map(systemOf));
};
