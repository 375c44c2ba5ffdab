// A result that cannot be written as JSON is an error result.

import { z } from 'zod';
import { call, drive, outputsOf, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defTool, $ }) => {
    defTool('big', 'B', z.object({}), () => ({ n: 10n }));
    defTool('loop', 'L', z.object({}), () => { const a = {}; a.a = a; return a; });
    $`go`;
  }, [call('big'), call('loop', {}, 'c2'), say('ok')]);
  print([text, outputsOf(steps[1])[0].type, outputsOf(steps[2])[0].type, typeof valuesOf(steps[2])[0].error]);
};
