// Arguments that break the schema give an error result; the function does not run and the run continues.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let ran = false;
  const { steps, text } = await drive(async ({ defTool, $ }) => {
    defTool('t', 'T', z.object({ count: z.number() }), () => { ran = true; return 1; });
    $`go`;
  }, [call('t', { count: 'many' }), say('sorry')]);
  const [output] = outputsOf(steps[1]);
  print([ran, text, output.type, Object.keys(output.value), output.value.error.includes('count')]);
};
