// hasToolCall ends the run after the step that called the tool.

import { hasToolCall } from 'lmthing';
import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let ran = 0;
  const { steps } = await drive(async ({ defTool, $ }) => { defTool('p', 'P', z.object({}), () => 1); defTool('finish', 'F', z.object({}), () => { ran += 1; return 1; }); $`go`; },
    [call('p'), call('finish', {}, 'c2'), call('p', {}, 'c3'), say('never')], { options: { stopWhen: hasToolCall('finish') } });
  print([steps.length, ran]);
};
