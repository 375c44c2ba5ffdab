// stepCountIs ends the run after that many steps, though tools were called.

import { stepCountIs } from 'lmthing';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, result } = await drive(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); $`go`; },
    [call('p'), call('p', {}, 'c2'), call('p', {}, 'c3'), say('never')], { options: { stopWhen: stepCountIs(2) } });
  print([steps.length, await result.finishReason]);
};
