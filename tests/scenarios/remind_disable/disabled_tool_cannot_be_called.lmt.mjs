// A call of a tool that is hidden on the step gives an error result.

import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let ran = 0;
  const { steps } = await drive(async ({ defTool, $ }) => {
    defTool('secret', 'S', z.object({}), () => { ran += 1; return 1; }).disable();
    $`go`;
  }, [call('secret'), say('ok')]);
  print([ran, outputsOf(steps[1])[0].type, valuesOf(steps[1])[0].error.includes('secret')]);
};
