// A call of an undefined tool gives an error result that names it.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(async ({ defTool, $ }) => { defTool('real', 'R', z.object({}), () => 1); $`go`; }, [call('ghost'), say('ok')]);
  const [output] = outputsOf(steps[1]);
  print([text, output.type, output.value.error.includes('ghost'), steps.length]);
};
